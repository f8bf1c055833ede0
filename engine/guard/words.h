#pragma once

#include <string>
#include <string_view>

#include "engine/guard/effect.h"
#include "engine/guard/patterns.h"

namespace reg {

/// Foreign text on one line that cannot drive the terminal or pass for more than one line, cut where it is long.
std::string one_line(std::string_view text);

/// What a pattern permits, for somebody who has not read the reference: "run the program bench, with all your rights".
std::string in_words(EffectKind kind, const std::string& pattern);

/// The same of something that was not declared.
std::string in_words(const Need& need, const std::string& workspace);

/// The name of a need as --allow takes it: KIND=NAME, the path relative to the workspace.
std::string as_allowed(const Need& need, const std::string& workspace);

/// `--allow KIND=PATTERN` for each, to be pasted into a shell.
std::string as_options(const Patterns& patterns);

}  // namespace reg
