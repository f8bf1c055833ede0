#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reg::terminal {

/// The type of its cells decides how a column looks: numbers are right-aligned with as many decimals as necessary.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Cell>;

struct TableStyle {
  std::size_t width = 0;  ///< maximum width in columns; 0 = unlimited
  bool utf8 = true;
};

/// The table as lines of text. Each cell is one line with control characters escaped; if the table is too wide, the
/// widest text columns are truncated, never numbers. A row may be shorter than the header.
std::string render_table(const std::vector<std::string>& columns, const std::vector<Row>& rows, TableStyle style = {});

/// RFC 4180: commas, CRLF, quotes only if needed. Numbers keep every digit.
std::string render_csv(const std::vector<std::string>& columns, const std::vector<Row>& rows);

/// A number for display: up to five significant digits, no trailing zeros, an exponent only for extreme values.
std::string format_number(double value);

/// The text on one line, with control characters escaped, truncated to `width` columns (0 = unlimited) with an
/// ellipsis.
std::string fit(std::string_view text, std::size_t width, bool utf8 = true);

/// Breaks lines that are wider than `width` columns at blanks, and continues them below their last column. A command
/// behind ": regengine" stays whole, so that it can be copied; the rule of a table is cut. 0: no limit.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace reg::terminal
