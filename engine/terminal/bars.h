#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace reg::terminal {

struct BarGroup {
  std::string label;
  std::vector<std::optional<double>> values;  ///< one per series; without a value the row shows "-"
};

struct Bars {
  std::vector<std::string> series;  ///< names; a single one is not shown
  std::vector<BarGroup> groups;
  std::optional<double> reference;  ///< marked in every row
  std::size_t width = 72;           ///< columns of text
  bool utf8 = true;                 ///< false: plain ASCII
};

/// Horizontal bars, one row each, with the number after the bar. Without any value, returns one line that says so.
std::string render_bars(const Bars& bars);

}  // namespace reg::terminal
