#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace reg::terminal {

struct PlotPoint {
  double x = 0;
  std::optional<double> y;  ///< none: not measured, or failed
  bool failed = false;      ///< shown as a cross on the axis
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  ///< in the order in which they are joined
};

/// A word below the x axis.
struct PlotLabel {
  double x = 0;
  std::string text;
};

struct Plot {
  std::vector<PlotSeries> series;   ///< of several each has a letter, and a line below says which
  std::vector<PlotLabel> labels;    ///< the important ones first: what finds no room is left out
  std::vector<double> changes;      ///< where a vertical line stands
  std::optional<double> reference;  ///< where a level line stands, behind everything
  bool joined = true;               ///< a line from point to point
  std::size_t width = 72;           ///< columns of text, the y labels among them
  std::size_t height = 12;          ///< lines of the drawing; the axis, its labels and the series' names take more
  bool utf8 = true;                 ///< false: plain ASCII
};

/// The series drawn for a terminal: values over x, a vertical line at each change, a cross where one failed. Without a
/// single value it is a line that says so.
std::string render_plot(const Plot& plot);

}  // namespace reg::terminal
