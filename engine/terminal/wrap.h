#pragma once

#include <string>
#include <string_view>

namespace reg::terminal {

/// Breaks lines that are wider than `width` columns at blanks, and continues them below their last column. A command
/// behind ": regengine" stays whole, so that it can be copied; the rule of a table is cut. 0: no limit.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace reg::terminal
