#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace reg::terminal {

struct PlotPoint {
  double x = 0;
  std::optional<double> y;  ///< absent if not measured or failed
  bool failed = false;      ///< shown as a cross on the axis
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  ///< in the order of the connecting line
};

/// A horizontal line: the level of the points between two changes.
struct PlotLevel {
  double from = 0, to = 0;  ///< x
  double y = 0;
};

/// A label below the x axis.
struct PlotLabel {
  double x = 0;
  std::string text;
};

struct Plot {
  std::vector<PlotSeries> series;   ///< several series have letters and a legend
  std::vector<PlotLabel> labels;    ///< most important first; those that do not fit are omitted; none: round numbers
  std::vector<double> changes;      ///< x of the vertical lines
  std::vector<PlotLevel> levels;    ///< in place of connecting lines; each point has a mark then
  std::optional<double> reference;  ///< y of a horizontal line in the background
  std::string y_label;              ///< on a line of its own above the y axis
  std::string x_label;              ///< the same, centered below the labels of the x axis
  bool joined = true;               ///< connect the points with lines
  std::size_t width = 72;           ///< columns of text, including the y labels
  std::size_t height = 12;          ///< lines of the drawing, without the axis, its labels and the legend
  bool utf8 = true;                 ///< false: plain ASCII
};

/// A plot for the terminal: values over x, a vertical line at each change, a cross for each failure. Without any value,
/// returns one line that says so.
std::string render_plot(const Plot& plot);

}  // namespace reg::terminal
