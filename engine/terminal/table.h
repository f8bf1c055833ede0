#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace reg::terminal {

/// What a cell holds decides how its column looks: numbers stand right, with as many decimals as the column needs.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Cell>;

struct TableStyle {
  std::size_t width = 0;  ///< columns the table may take; 0 = as many as it needs
  bool utf8 = true;
};

/// The table as lines of text, the last one ended too. Cells are one line each, control characters made visible; where
/// the width is too small the widest text columns are cut, never the numbers. A row may be shorter than the header.
std::string render_table(const std::vector<std::string>& columns, const std::vector<Row>& rows, TableStyle style = {});

/// RFC 4180: commas, CRLF, quotes only where needed. Numbers keep every digit.
std::string render_csv(const std::vector<std::string>& columns, const std::vector<Row>& rows);

/// A number for people: about five significant digits, no trailing zeros, no exponent where it can be helped.
std::string format_number(double value);

/// The text on one line, with control characters visible, cut to `width` columns (0 = whole) with an ellipsis.
std::string fit(std::string_view text, std::size_t width, bool utf8 = true);

}  // namespace reg::terminal
