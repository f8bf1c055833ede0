#include "engine/terminal/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/terminal/table.h"

namespace reg::terminal {
namespace {

constexpr std::size_t kNarrowest = 10;
constexpr std::size_t kNumber = 10;  // columns reserved for the number after a bar

class Drawing {
 public:
  explicit Drawing(const Bars& bars) : bars_(bars) {
    for (const BarGroup& group : bars.groups) {
      labels_ = std::max(labels_, display_width(group.label));
      for (const auto& value : group.values) take(value);
    }
    take(bars.reference);
    if (bars.series.size() > 1)
      for (const std::string& name : bars.series) names_ = std::max(names_, display_width(name) + 1);
    labels_ = std::min(labels_, std::max<std::size_t>(8, bars.width / 3));
    names_ = std::min(names_, std::max<std::size_t>(8, bars.width / 4));
    const std::size_t taken = labels_ + 1 + names_ + kNumber;
    columns_ = bars.width > taken + kNarrowest ? bars.width - taken : kNarrowest;
  }

  std::string render() const {
    std::string out;
    for (const BarGroup& group : bars_.groups)
      for (std::size_t i = 0; i < group.values.size(); ++i) {
        std::string line = padded(i == 0 ? group.label : "", labels_) + ' ';
        if (names_ > 0) line += padded(i < bars_.series.size() ? bars_.series[i] : "", names_ - 1) + ' ';
        line += bar(group.values[i]);
        out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
      }
    return out;
  }

 private:
  static bool shown(const std::optional<double>& value) { return value && std::isfinite(*value); }

  void take(const std::optional<double>& value) {
    if (!shown(value)) return;
    low_ = std::min(low_, *value);
    high_ = std::max(high_, *value);
  }

  std::string padded(const std::string& text, std::size_t width) const {
    const std::string cut = fit(text, width, bars_.utf8);
    return cut + std::string(width - std::min(width, display_width(cut)), ' ');
  }

  // In eighths of a column, from the left.
  std::size_t eighths(double value) const {
    if (high_ == low_) return 0;
    return static_cast<std::size_t>(std::lround((value - low_) / (high_ - low_) * 8 * static_cast<double>(columns_)));
  }

  std::string bar(const std::optional<double>& value) const {
    static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    std::vector<std::string> cells(columns_, " ");
    if (shown(bars_.reference)) cells[std::min(eighths(*bars_.reference) / 8, columns_ - 1)] = bars_.utf8 ? "│" : "|";
    std::size_t used = 0;
    if (shown(value)) {
      const std::size_t from = eighths(std::min(0.0, *value)) / 8;
      const std::size_t to = eighths(std::max(0.0, *value));
      for (std::size_t i = from; i < to / 8; ++i) cells[i] = bars_.utf8 ? "█" : "#";
      if (bars_.utf8 && to % 8 != 0) cells[to / 8] = kParts[to % 8];
      used = (to + 7) / 8;
    }
    std::string out;
    for (std::size_t i = 0; i < columns_; ++i) {
      if (i == used) out += ' ' + number(value);
      if (i < used || i > used + number(value).size()) out += cells[i];
    }
    return used == columns_ ? out + ' ' + number(value) : out;
  }

  static std::string number(const std::optional<double>& value) { return shown(value) ? format_number(*value) : "-"; }

  const Bars& bars_;
  std::size_t labels_ = 0;
  std::size_t names_ = 0;
  std::size_t columns_ = 0;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace

std::string render_bars(const Bars& bars) {
  const bool any = std::any_of(bars.groups.begin(), bars.groups.end(), [](const BarGroup& group) {
    return std::any_of(group.values.begin(), group.values.end(), [](const auto& v) { return v && std::isfinite(*v); });
  });
  if (!any) return "(nothing to plot: no subject has a value)\n";
  return Drawing(bars).render();
}

}  // namespace reg::terminal
