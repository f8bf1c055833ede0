#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/guard/permissions.h"

namespace reg {

/// The permission options of the command line.
struct PermissionOptions {
  bool trust = false;              ///< --trust
  std::vector<std::string> allow;  ///< --allow, KIND=PATTERN each
};

struct ScriptText {
  std::string name;  ///< as messages show it
  std::string file;  ///< where it was read from; "" for a script without a file
  std::string text;
  std::vector<std::string> options;  ///< what it is started with
  bool reported = false;             ///< the options were shared with it: they decide as much as the text does
};

/// The permissions of a script; nullptr if it may do everything: trusted files and folders and --trust count as the
/// user's own, and so do shipped scripts as long as they load nothing else. Everything else is untrusted: other files,
/// standard input, a block of an issue. Throws usage for an invalid --allow.
std::unique_ptr<Permissions> permissions_for_script(const ScriptText& script, const PermissionOptions& options);

/// The policy for code typed at the prompt or with -e: the user's own, which loads no untrusted file. Throws usage for
/// an invalid --allow.
std::unique_ptr<Policy> policy_for_typed(const PermissionOptions& options);

/// Asks the question at the controlling terminal, wherever stdin and stdout go, and waits for one key. Returns
/// std::nullopt without a terminal, and where the engine runs in its background. Discards what was typed before the
/// question; Ctrl-C means no.
std::optional<Answer> ask_at_terminal(const Question& question);

/// Whether it could ask now.
bool can_ask();

/// `regengine trust [--forget] [PATH...]`: trusts files and folders, forgets them, or lists them. Returns the exit
/// code.
int run_trust(const std::vector<std::string>& words);

}  // namespace reg
