#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/guard/policy.h"

namespace reg {

/// What the command line says about permissions.
struct PermissionOptions {
  bool trust = false;              ///< --trust
  std::vector<std::string> allow;  ///< --allow, KIND=PATTERN each
};

struct ScriptText {
  std::string name;  ///< what messages call it
  std::string file;  ///< where it was read from; "" for what came from no file
  std::string text;
  std::vector<std::string> reported;  ///< the options that a page gives it: they decide as much as the text does
};

/// The policy for a script. A text that came with the engine, one of a trusted file or folder, and --trust: its user's
/// own. Everything else is from elsewhere: a file, standard input, the block of an issue. Throws usage for a bad
/// --allow.
std::unique_ptr<Policy> policy_for_script(const ScriptText& script, const PermissionOptions& options);

/// The policy for what is typed at the prompt or behind -e: its user's own, but for the files that it loads.
std::unique_ptr<Policy> policy_for_typed(const PermissionOptions& options);

/// `regengine trust [--forget] [PATH...]`: keeps files and folders as the user's own, or lists them. The exit code.
int run_trust(const std::vector<std::string>& words);

}  // namespace reg
