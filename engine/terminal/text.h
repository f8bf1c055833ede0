#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reg::terminal {

/// A number for display: up to five significant digits, no trailing zeros, an exponent only for extreme values.
std::string format_number(double value);

/// The text on one line, with control characters escaped, truncated to `width` columns (0 = unlimited) with an
/// ellipsis.
std::string fit(std::string_view text, std::size_t width, bool utf8 = true);

/// Breaks lines that are wider than `width` columns at blanks, and continues them below their last column. A command
/// behind ": regengine" stays whole, so that it can be copied; the rule of a table is cut. 0: no limit.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace reg::terminal
