#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/guard/patterns.h"

namespace reg {

/// A script that may come from somebody else.
struct ForeignScript {
  std::string name;                  ///< as messages show it
  std::string path;                  ///< canonical; "stdin" or the like for a script without a file
  std::string sha256;                ///< of its text
  std::vector<std::string> options;  ///< what it was started with
  bool shipped = false;              ///< shipped with the engine: trusted as long as everything it loads is, too
  std::string like = {};             ///< the shipped script that declares the same with these options; "" for none
};

/// How this machine runs the programs of untrusted scripts.
struct Sandbox {
  std::string why_not;             ///< it runs them with all the user's rights, and why; "" = in a sandbox
  std::vector<std::string> doors;  ///< how they can leave it, nevertheless: "become root through docker (/run/...)"
  std::string home;                ///< the user's home folder, canonical; "" = unknown
};

/// What the user is asked, of a script once.
struct Question {
  struct Line {
    std::string text;
    bool danger = false;  ///< it amounts to any command
  };
  std::string head;         ///< "u.lua is not trusted yet. In the folder /w it asks for permission to:"
  std::vector<Line> lines;  ///< what it asks for, the worst first; long lists are folded
  std::vector<Line> all;    ///< the same unfolded; {} if nothing is folded
  std::string tail;         ///< what else it consists of, ending with a line break
  std::string asked = "Allow?";

  std::string text() const;  ///< all but `all`
};

/// The question about what `permits` permits. `modules`: what the script loads, besides itself. `trusted`: files and
/// folders that the user trusts whatever is written in them.
Question question_about(const ForeignScript& script, const std::vector<std::string>& modules, const Patterns& permits,
                        const std::string& workspace, const Sandbox& sandbox = {},
                        const std::vector<std::string>& trusted = {});

enum class Answer { no, yes };

/// Returns std::nullopt if nobody can be asked.
using Ask = std::function<std::optional<Answer>(const Question&)>;

}  // namespace reg
