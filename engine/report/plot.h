#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace reg::report {

/// One subject of the series, in order.
struct PlotPoint {
  std::string label;
  std::optional<double> value;  ///< none: not measured, or failed
  bool failed = false;          ///< shown as a cross on the axis
};

struct Plot {
  std::vector<PlotPoint> points;
  std::vector<std::size_t> changes;  ///< indexes of the first point after each change
  std::size_t width = 72;            ///< columns of text, the y labels among them
  std::size_t height = 12;           ///< lines of the drawing; the axis and its labels take two more
  bool utf8 = true;                  ///< false: plain ASCII
};

/// The series drawn for a terminal: values over subjects, a vertical line at each change, a cross where a subject
/// failed. A series without a single value gives a line that says so.
std::string render_plot(const Plot& plot);

}  // namespace reg::report
