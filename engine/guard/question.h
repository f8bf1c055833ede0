#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/guard/effect.h"

namespace reg {

/// Untrusted text on one line, without control characters, truncated if it is long.
std::string one_line(std::string_view text);

/// What a pattern permits, in plain words: "run the program bench in the sandbox". `sandboxed`: whether this machine
/// has one for programs; else they have all rights of the user.
std::string describe(EffectKind kind, const std::string& pattern, bool sandboxed = true);

/// Whether it amounts to any command: a shell, an interpreter, a compiler, a pattern that covers one, docker, a program
/// by its path, one outside the sandbox; writing files outside the workspace or hidden ones.
bool is_dangerous(EffectKind kind, const std::string& pattern);

/// Whether who may run these programs may run any command.
bool permit_any_command(const Patterns& patterns);

bool name_repository_outside(const Patterns& patterns);

/// The need as --allow takes it: KIND=NAME, with the path relative to the workspace.
std::string as_allowed(const Need& need, const std::string& workspace);

/// The need as a script declares it: reg.needs { process = "make" }.
std::string as_declared(const Need& need, const std::string& workspace);

/// `--allow KIND=PATTERN` for each pattern, quoted for a shell.
std::string as_options(const Patterns& patterns);

/// A script that may come from somebody else.
struct ForeignScript {
  std::string name;                  ///< as messages show it
  std::string path;                  ///< canonical; "stdin" or the like for a script without a file
  std::string sha256;                ///< of its text
  std::vector<std::string> options;  ///< what it was started with
  bool shipped = false;              ///< shipped with the engine: trusted as long as everything it loads is, too
};

/// How this machine runs the programs of untrusted scripts.
struct SandboxSupport {
  std::string why_not;             ///< it runs them with all the user's rights, and why; "" = in a sandbox
  std::vector<std::string> doors;  ///< how they can leave it, nevertheless: "become root through docker (/run/...)"
  std::string home;                ///< the user's home folder, canonical; "" = unknown
};

/// What the user is asked, of a script once.
struct Question {
  struct Line {
    std::string text;
    bool danger = false;         ///< it amounts to any command
    std::string_view kind = {};  ///< of the pattern
  };
  std::string head;         ///< "u.lua is not trusted yet. In the folder /w it asks for permission to:"
  std::vector<Line> lines;  ///< what it asks for, the worst first; long lists are folded
  std::vector<Line> all;    ///< the same unfolded; {} if nothing is folded
  std::string tail;         ///< what else it consists of, ending with a line break
  std::string asked = "Allow?";

  /// All but `all`. What is dangerous stands between `danger` and `plain`: a terminal's colors.
  std::string text(std::string_view danger = "", std::string_view plain = "") const;
};

/// The question about what `permits` permits. `modules`: what the script loads, besides itself. `trusted`: files and
/// folders that the user trusts whatever is written in them.
Question question_about(const ForeignScript& script, const std::vector<std::string>& modules, const Patterns& permits,
                        const std::string& workspace, const SandboxSupport& sandbox = {},
                        const std::vector<std::string>& trusted = {});

enum class Answer { no, yes };

/// Returns std::nullopt if nobody can be asked.
using Ask = std::function<std::optional<Answer>(const Question&)>;

}  // namespace reg
