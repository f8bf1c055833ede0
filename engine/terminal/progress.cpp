#include "engine/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/base/text.h"
#include "engine/terminal/table.h"

namespace reg::terminal {
namespace {

constexpr std::size_t kBarCells = 20;
constexpr std::size_t kLeastWidthForBar = 60;

std::string cells(std::int64_t done, std::int64_t total, bool utf8) {
  const auto full =
      static_cast<std::size_t>(static_cast<double>(kBarCells) * static_cast<double>(done) / static_cast<double>(total));
  std::string out;
  for (std::size_t i = 0; i < kBarCells; ++i) out += i < full ? (utf8 ? "━" : "#") : (utf8 ? "╌" : "-");
  return out;
}

// Rounds to whole seconds, then whole minutes, so that an estimate does not change all the time.
std::string roughly(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::optional<double> Progress::eta(double seconds) const {
  const auto finished = done - done_before;
  if (total <= done || finished <= 0) return std::nullopt;
  const double whole = paced_at / static_cast<double>(finished) * static_cast<double>(total - done);
  return std::max(0.0, whole - (seconds - paced_at));
}

std::string Progress::count() const { return total > 0 ? fmt::format("{}/{}", done, total) : fmt::format("{}", done); }

std::string Progress::result() const {
  if (!note.empty()) return fit(note, 40);
  if (!value) return {};
  return metric.empty() ? format_number(*value) : fit(metric, 20) + " " + format_number(*value);
}

std::string Progress::bar(double seconds, std::size_t width, bool utf8) const {
  std::vector<std::string> parts;
  std::string head = fit(title, 24, utf8);
  if (total > 0 && width >= kLeastWidthForBar) head += (head.empty() ? "" : " ") + cells(done, total, utf8);
  head += (head.empty() ? "" : " ") + count();
  parts.push_back(head);
  if (!subject.empty()) parts.push_back(fit(subject, 40, utf8));
  if (const std::string last = result(); !last.empty()) parts.push_back("last: " + last);
  if (const auto left = eta(seconds))
    parts.push_back(roughly(*left) + " left");
  else if (seconds >= 1)
    parts.push_back(roughly(seconds) + " so far");
  return fit(join(parts, "  "), width, utf8);
}

std::string Progress::log_line(double seconds) const {
  std::vector<std::string> parts{count()};
  if (!subject.empty()) parts.push_back(fit(subject, 0));
  if (const std::string last = result(); !last.empty()) parts.push_back(last);
  if (const auto left = eta(seconds)) parts.push_back("(" + roughly(*left) + " left)");
  return join(parts, " ");
}

}  // namespace reg::terminal
