#include "engine/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.h"
#include "engine/report/table.h"

namespace reg::report {
namespace {

constexpr std::size_t kNarrowest = 24;
constexpr std::size_t kLowest = 3;

// A braille character is a cell of 2 x 4 dots; in ASCII a cell is one dot.
struct Grain {
  std::size_t across;
  std::size_t down;
};

struct Range {
  double low;
  double high;
};

Range range_of(const std::vector<PlotPoint>& points) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Range range{kInfinity, -kInfinity};
  for (const PlotPoint& point : points) {
    if (!point.value) continue;
    range.low = std::min(range.low, *point.value);
    range.high = std::max(range.high, *point.value);
  }
  if (range.low == range.high) {  // a flat line stands in the middle
    const double half = range.low == 0 ? 1 : std::fabs(range.low) * 0.01;
    range = {range.low - half, range.high + half};
  }
  return range;
}

// Round numbers within the range, at most about `count` of them, lowest first.
std::vector<double> ticks_of(Range range, std::size_t count) {
  const double rough = (range.high - range.low) / static_cast<double>(count);
  const double magnitude = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * magnitude;
  for (const double multiple : {1.0, 2.0, 5.0})
    if (multiple * magnitude >= rough) {
      step = multiple * magnitude;
      break;
    }
  std::vector<double> ticks;
  const double first = std::ceil(range.low / step);
  const auto last = static_cast<int>(std::floor(range.high / step - first + 1e-9));
  for (int i = 0; i <= last; ++i) ticks.push_back((first + i) * step);
  return ticks;
}

// The drawing area: dots, and in each cell at most one mark (a change, a cross) behind them.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows, bool utf8)
      : columns_(columns),
        rows_(rows),
        utf8_(utf8),
        grain_(utf8 ? Grain{2, 4} : Grain{1, 1}),
        dots_(columns * rows),
        marks_(columns) {}

  std::size_t dots_across() const { return columns_ * grain_.across; }
  std::size_t dots_down() const { return rows_ * grain_.down; }
  const Grain& grain() const { return grain_; }

  void dot(std::size_t x, std::size_t y) {
    static constexpr unsigned char kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    auto& cell = dots_[(y / grain_.down) * columns_ + x / grain_.across];
    cell = static_cast<unsigned char>(cell | (utf8_ ? kBits[y % 4][x % 2] : 1));
  }

  // Both ends are drawn by the points themselves; between them one dot for each step of the longer side.
  void line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1) {
    const double dx = static_cast<double>(x1) - static_cast<double>(x0);
    const double dy = static_cast<double>(y1) - static_cast<double>(y0);
    const int steps = static_cast<int>(std::max(std::fabs(dx), std::fabs(dy)));
    for (int i = 0; i <= steps; ++i) {
      const double part = steps == 0 ? 0 : static_cast<double>(i) / steps;
      dot(static_cast<std::size_t>(std::lround(static_cast<double>(x0) + dx * part)),
          static_cast<std::size_t>(std::lround(static_cast<double>(y0) + dy * part)));
    }
  }

  void mark_change(std::size_t column) { marks_[column] = true; }

  std::string row(std::size_t y) const {
    std::string out;
    for (std::size_t x = 0; x < columns_; ++x) {
      const unsigned char bits = dots_[y * columns_ + x];
      if (bits != 0 && utf8_)
        out +=
            {static_cast<char>(0xE2), static_cast<char>(0xA0 | (bits >> 6)), static_cast<char>(0x80 | (bits & 0x3F))};
      else if (bits != 0)
        out += '*';
      else if (marks_[x])
        out += utf8_ ? "│" : "|";
      else
        out += ' ';
    }
    return out;
  }

 private:
  std::size_t columns_, rows_;
  bool utf8_;
  Grain grain_;
  std::vector<unsigned char> dots_;
  std::vector<bool> marks_;
};

struct Label {
  std::size_t column;
  std::string text;
};

// Puts labels on a line, each centred under its column, the important ones first; what would touch another is left out.
std::string place(const std::vector<Label>& labels, std::size_t columns) {
  std::vector<std::pair<std::size_t, std::string>> placed;
  for (const Label& label : labels) {
    const std::size_t width = display_width(label.text);
    if (width == 0 || width > columns) continue;
    const std::size_t start = std::min(label.column - std::min(label.column, width / 2), columns - width);
    const bool free = std::none_of(placed.begin(), placed.end(), [&](const auto& other) {
      return start < other.first + display_width(other.second) + 2 && other.first < start + width + 2;
    });
    if (free) placed.emplace_back(start, label.text);
  }
  std::sort(placed.begin(), placed.end());
  std::string line;
  for (const auto& [start, text] : placed) line += std::string(start - display_width(line), ' ') + text;
  return line;
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot),
        range_(range_of(plot.points)),
        height_(std::max(plot.height, kLowest)),
        ticks_(ticks_of(range_, std::max<std::size_t>(2, height_ / 3))) {
    for (const double tick : ticks_) margin_ = std::max(margin_, display_width(tick_label(tick)));
    columns_ = std::max(plot.width, std::max(kNarrowest, margin_ + 10)) - margin_ - 2;
  }

  std::string render() const {
    Canvas canvas(columns_, height_, plot_.utf8);
    draw_changes(canvas);
    draw_values(canvas);
    std::string out;
    for (std::size_t y = 0; y < height_; ++y) out += left_of(y) + rstrip(canvas.row(y)) + '\n';
    return out + std::string(margin_ + 1, ' ') + axis() + '\n' + std::string(margin_ + 2, ' ') + x_labels() + '\n';
  }

 private:
  static std::string rstrip(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  // All ticks with the decimals their step asks for: "0.5", "1.0".
  std::string tick_label(double tick) const {
    const double step = ticks_.size() > 1 ? ticks_[1] - ticks_[0] : std::fabs(tick);
    const double size = std::max(std::fabs(range_.low), std::fabs(range_.high));
    if (size >= 1e7 || size < 1e-4) return fmt::format("{:.4g}", tick);
    const int decimals = step > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9) : 0;
    return fmt::format("{:.{}f}", tick + 0.0, decimals);
  }

  // Where point i stands, in dots out of `across`; a lone point stands in the middle.
  std::size_t x_of(std::size_t i, std::size_t across) const {
    const std::size_t last = plot_.points.size() - 1;
    if (last == 0) return across / 2;
    return static_cast<std::size_t>(
        std::lround(static_cast<double>(i) * static_cast<double>(across - 1) / static_cast<double>(last)));
  }

  std::size_t y_of(double value, std::size_t down) const {
    const double part = (range_.high - value) / (range_.high - range_.low);
    return static_cast<std::size_t>(std::lround(part * static_cast<double>(down - 1)));
  }

  // The line of a change stands between the last point before it and the first one after.
  std::size_t column_of_change(std::size_t first_after) const {
    const std::size_t before = x_of(first_after == 0 ? 0 : first_after - 1, columns_);
    return (before + x_of(first_after, columns_)) / 2;
  }

  void draw_changes(Canvas& canvas) const {
    for (const std::size_t change : plot_.changes)
      if (change < plot_.points.size()) canvas.mark_change(column_of_change(change));
  }

  void draw_values(Canvas& canvas) const {
    std::optional<std::pair<std::size_t, std::size_t>> last;
    for (std::size_t i = 0; i < plot_.points.size(); ++i) {
      const PlotPoint& point = plot_.points[i];
      if (!point.value) continue;
      const std::size_t x = x_of(i, canvas.dots_across());
      const std::size_t y = y_of(*point.value, canvas.dots_down());
      if (last && plot_.utf8)
        canvas.line(last->first, last->second, x, y);
      else
        canvas.dot(x, y);
      last = {x, y};
    }
  }

  // The y label and the axis left of row y.
  std::string left_of(std::size_t y) const {
    for (const double tick : ticks_) {
      if (y_of(tick, height_) != y) continue;
      return fmt::format("{:>{}} {}", tick_label(tick), margin_, plot_.utf8 ? "┤" : "+");
    }
    return std::string(margin_ + 1, ' ') + (plot_.utf8 ? "│" : "|");
  }

  std::string axis() const {
    std::vector<const char*> cells(columns_, plot_.utf8 ? "─" : "-");
    for (const std::size_t change : plot_.changes)
      if (change < plot_.points.size()) cells[column_of_change(change)] = plot_.utf8 ? "┴" : "+";
    for (std::size_t i = 0; i < plot_.points.size(); ++i)
      if (plot_.points[i].failed) cells[x_of(i, columns_)] = plot_.utf8 ? "×" : "x";
    std::string out = plot_.utf8 ? "└" : "+";
    for (const char* cell : cells) out += cell;
    return out;
  }

  std::string x_labels() const {
    std::vector<Label> labels;
    const auto add = [&](std::size_t i) {
      labels.push_back({x_of(i, columns_), fit(plot_.points[i].label, columns_ / 3, plot_.utf8)});
    };
    for (const std::size_t change : plot_.changes)
      if (change < plot_.points.size()) add(change);
    add(0);
    add(plot_.points.size() - 1);
    add(plot_.points.size() / 2);
    return place(labels, columns_);
  }

  const Plot& plot_;
  Range range_;
  std::size_t height_;
  std::vector<double> ticks_;
  std::size_t margin_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace

std::string render_plot(const Plot& plot) {
  Plot finite = plot;
  for (PlotPoint& point : finite.points)
    if (point.value && !std::isfinite(*point.value)) point = {point.label, std::nullopt, true};
  const bool any =
      std::any_of(finite.points.begin(), finite.points.end(), [](const PlotPoint& p) { return p.value.has_value(); });
  if (!any) return "(nothing to plot: no subject has a value)\n";
  return Drawing(finite).render();
}

}  // namespace reg::report
