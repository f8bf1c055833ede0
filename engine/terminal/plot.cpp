#include "engine/terminal/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.h"
#include "engine/terminal/table.h"

namespace reg::terminal {
namespace {

constexpr std::size_t kNarrowest = 24;
constexpr std::size_t kLowest = 3;

// The dots per cell: 2 x 4 in a braille character, one in ASCII.
struct Grain {
  std::size_t across;
  std::size_t down;
};

struct Range {
  double low;
  double high;
};

Range padded(double low, double high) {
  if (low < high) return {low, high};
  const double half = low == 0 ? 1 : std::fabs(low) * 0.01;  // puts a flat line in the middle
  return {low - half, low + half};
}

// The range of what `get` reads of the points, with `also`; a single number is in the middle.
template <class Get>
Range range_of(const Plot& plot, std::optional<double> also, Get get) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low = also.value_or(kInfinity);
  double high = also.value_or(-kInfinity);
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      const std::optional<double> number = get(point);
      low = std::min(low, number.value_or(low));
      high = std::max(high, number.value_or(high));
    }
  return padded(low, high);
}

// Round numbers within the range, at most about `count`, ascending.
std::vector<double> ticks_of(Range range, std::size_t count) {
  const double rough = (range.high - range.low) / static_cast<double>(count);
  if (!std::isfinite(rough)) return {range.low, range.high};
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

// The drawing area. Each cell shows a letter, else dots, else a change or the reference line.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows, bool utf8)
      : columns_(columns),
        rows_(rows),
        utf8_(utf8),
        grain_(utf8 ? Grain{2, 4} : Grain{1, 1}),
        dots_(columns * rows),
        letters_(columns * rows, '\0'),
        marks_(columns) {}

  std::size_t dots_across() const { return columns_ * grain_.across; }
  std::size_t dots_down() const { return rows_ * grain_.down; }
  const Grain& grain() const { return grain_; }

  void dot(std::size_t x, std::size_t y) {
    static constexpr unsigned char kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    auto& cell = dots_[(y / grain_.down) * columns_ + x / grain_.across];
    cell = static_cast<unsigned char>(cell | (utf8_ ? kBits[y % 4][x % 2] : 1));
  }

  // One dot per step along the longer side.
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

  void letter(std::size_t x, std::size_t y, char letter) {
    letters_[(y / grain_.down) * columns_ + x / grain_.across] = letter;
  }
  void point(std::size_t x, std::size_t y) { letter(x, y, kPoint); }

  void mark_change(std::size_t column) { marks_[column] = true; }
  void mark_reference(std::size_t row) { reference_ = row; }

  std::string row(std::size_t y) const {
    std::string out;
    for (std::size_t x = 0; x < columns_; ++x) {
      const unsigned char bits = dots_[y * columns_ + x];
      const char letter = letters_[y * columns_ + x];
      if (letter == kPoint)
        out += utf8_ ? "•" : "o";
      else if (letter != '\0')
        out += letter;
      else if (bits != 0 && utf8_)
        out +=
            {static_cast<char>(0xE2), static_cast<char>(0xA0 | (bits >> 6)), static_cast<char>(0x80 | (bits & 0x3F))};
      else if (bits != 0)
        out += '*';
      else if (marks_[x])
        out += utf8_ ? "│" : "|";
      else if (reference_ == y)
        out += utf8_ ? "┄" : ".";
      else
        out += ' ';
    }
    return out;
  }

 private:
  static constexpr char kPoint = '\1';

  std::size_t columns_, rows_;
  bool utf8_;
  Grain grain_;
  std::vector<unsigned char> dots_;
  std::vector<char> letters_;
  std::vector<bool> marks_;
  std::optional<std::size_t> reference_;
};

struct Label {
  std::size_t column;
  std::string text;
};

// Places labels on a line, each centered under its column, in order of importance; omits those that would overlap.
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
        x_(range_of(plot, {}, [](const PlotPoint& point) { return std::optional(point.x); })),
        y_(range_of(plot, plot.reference, [](const PlotPoint& point) { return point.y; })),
        height_(std::max(plot.height, kLowest)),
        ticks_(ticks_of(y_, std::max<std::size_t>(2, height_ / 3))) {
    for (const double tick : ticks_) margin_ = std::max(margin_, display_width(tick_label(tick)));
    columns_ = std::max(plot.width, std::max(kNarrowest, margin_ + 10)) - margin_ - 2;
  }

  std::string render() const {
    Canvas canvas(columns_, height_, plot_.utf8);
    for (const double change : plot_.changes)
      if (within(change)) canvas.mark_change(column_of(change, columns_));
    if (plot_.reference) canvas.mark_reference(row_of(*plot_.reference, height_));
    for (const PlotLevel& level : plot_.levels) {
      const std::size_t y = row_of(level.y, canvas.dots_down());
      canvas.line(column_of(level.from, canvas.dots_across()), y, column_of(level.to, canvas.dots_across()), y);
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw(canvas, plot_.series[i], letter_of(i));
    std::string out;
    if (!plot_.y_label.empty())
      out += std::string(margin_ - std::min(margin_, display_width(plot_.y_label)), ' ') +
             fit(plot_.y_label, columns_, plot_.utf8) + '\n';
    for (std::size_t y = 0; y < height_; ++y) out += left_of(y) + rstrip(canvas.row(y)) + '\n';
    return out + std::string(margin_ + 1, ' ') + axis() + '\n' + rstrip(std::string(margin_ + 2, ' ') + x_labels()) +
           '\n' + x_label() + legend();
  }

 private:
  static std::string rstrip(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  std::string tick_label(double tick) const { return tick_label(tick, ticks_, y_); }

  // Formats all ticks with the decimals of their step: "0.5", "1.0".
  static std::string tick_label(double tick, const std::vector<double>& ticks, Range range) {
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : std::fabs(tick);
    const double size = std::max(std::fabs(range.low), std::fabs(range.high));
    if (size >= 1e7 || size < 1e-4) return fmt::format("{:.4g}", tick);
    const int decimals = step > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9) : 0;
    return fmt::format("{:.{}f}", tick + 0.0, decimals);
  }

  bool within(double x) const { return x >= x_.low && x <= x_.high; }

  // A single series has no letter. After Z they start again.
  char letter_of(std::size_t series) const {
    return plot_.series.size() < 2 ? '\0' : static_cast<char>('A' + series % 26);
  }

  static std::size_t place(double part, std::size_t count) {
    return static_cast<std::size_t>(
        std::lround((part > 0 ? std::min(part, 1.0) : 0.0) * static_cast<double>(count - 1)));
  }

  // `across` and `down` are in dots, or in columns and rows.
  std::size_t column_of(double x, std::size_t across) const { return place((x - x_.low) / (x_.high - x_.low), across); }
  std::size_t row_of(double y, std::size_t down) const { return place((y_.high - y) / (y_.high - y_.low), down); }

  void draw(Canvas& canvas, const PlotSeries& series, char letter) const {
    std::optional<std::pair<std::size_t, std::size_t>> last;
    std::optional<std::size_t> last_letter;
    for (const PlotPoint& point : series.points) {
      if (!point.y) continue;
      const std::size_t x = column_of(point.x, canvas.dots_across());
      const std::size_t y = row_of(*point.y, canvas.dots_down());
      if (!plot_.levels.empty())
        canvas.point(x, y);
      else if (last && plot_.joined && plot_.utf8)
        canvas.line(last->first, last->second, x, y);
      else
        canvas.dot(x, y);
      last = {x, y};
      // On a line of dense points, letters keep a distance so that the line stays visible.
      const bool apart = !last_letter || !plot_.joined || !plot_.utf8 || x < *last_letter || x >= *last_letter + 8;
      if (letter == '\0' || !apart) continue;
      canvas.letter(x, y, letter);
      last_letter = x;
    }
  }

  // The y label and the axis to the left of row y.
  std::string left_of(std::size_t y) const {
    for (const double tick : ticks_) {
      if (row_of(tick, height_) != y) continue;
      return fmt::format("{:>{}} {}", tick_label(tick), margin_, plot_.utf8 ? "┤" : "+");
    }
    return std::string(margin_ + 1, ' ') + (plot_.utf8 ? "│" : "|");
  }

  std::string axis() const {
    std::vector<const char*> cells(columns_, plot_.utf8 ? "─" : "-");
    for (const double change : plot_.changes)
      if (within(change)) cells[column_of(change, columns_)] = plot_.utf8 ? "┴" : "+";
    for (const PlotSeries& series : plot_.series)
      for (const PlotPoint& point : series.points)
        if (point.failed) cells[column_of(point.x, columns_)] = plot_.utf8 ? "×" : "x";
    std::string out = plot_.utf8 ? "└" : "+";
    for (const char* cell : cells) out += cell;
    return out;
  }

  std::string x_labels() const {
    std::vector<Label> labels;
    if (plot_.labels.empty()) {
      const std::vector<double> ticks = ticks_of(x_, 8);
      for (const double tick : ticks) labels.push_back({column_of(tick, columns_), tick_label(tick, ticks, x_)});
    }
    for (const PlotLabel& label : plot_.labels)
      if (within(label.x)) labels.push_back({column_of(label.x, columns_), fit(label.text, columns_ / 3, plot_.utf8)});
    return terminal::place(labels, columns_);
  }

  std::string x_label() const {
    if (plot_.x_label.empty()) return "";
    const std::string text = fit(plot_.x_label, columns_, plot_.utf8);
    return std::string(margin_ + 2 + (columns_ - display_width(text)) / 2, ' ') + text + '\n';
  }

  // The letters and names of the series, as many per line as fit.
  std::string legend() const {
    if (plot_.series.size() < 2) return "";
    const std::string indent(margin_ + 2, ' ');
    std::string out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const std::string entry =
          std::string(1, letter_of(i)) + ' ' + fit(plot_.series[i].name, columns_ - 2, plot_.utf8);
      const std::size_t width = display_width(entry);
      if (used > 0 && used + 3 + width > columns_) {
        out += '\n';
        used = 0;
      }
      out += (used == 0 ? indent : "   ") + entry;
      used += (used == 0 ? 0 : 3) + width;
    }
    return out + '\n';
  }

  const Plot& plot_;
  Range x_;
  Range y_;
  std::size_t height_;
  std::vector<double> ticks_;
  std::size_t margin_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace

std::string render_plot(const Plot& plot) {
  Plot finite = plot;
  bool any = false;
  for (PlotSeries& series : finite.series) {
    auto& points = series.points;
    points.erase(
        std::remove_if(points.begin(), points.end(), [](const auto& point) { return !std::isfinite(point.x); }),
        points.end());
    for (PlotPoint& point : points) {
      if (point.y && !std::isfinite(*point.y)) point = {point.x, std::nullopt, true};
      any = any || point.y.has_value();
    }
  }
  if (!any) return "(nothing to plot: no subject has a value)\n";
  return Drawing(finite).render();
}

}  // namespace reg::terminal
