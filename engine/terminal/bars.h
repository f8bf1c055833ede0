#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace reg::terminal {

struct BarGroup {
  std::string label;
  std::vector<std::optional<double>> values;  ///< one a series; none: a row that says "-"
};

struct Bars {
  std::vector<std::string> series;  ///< names; one alone is not shown
  std::vector<BarGroup> groups;
  std::optional<double> reference;  ///< marked in every row
  std::size_t width = 72;           ///< columns of text
  bool utf8 = true;                 ///< false: plain ASCII
};

/// Bars from left to right, a row each with its number behind it. Without a single value it is a line that says so.
std::string render_bars(const Bars& bars);

}  // namespace reg::terminal
