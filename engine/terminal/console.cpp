#include "engine/terminal/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::terminal {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[2K";

bool obeys_escapes(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

// The same precedence as setlocale: the first variable that is set decides.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string value = variable(name); !value.empty())
      return contains_any(value, {"UTF-8", "utf8", "utf-8"});
  return false;
}

constexpr std::int64_t kBarCells = 10;
constexpr double kLongRun = 10;  // seconds from which on it is worth saying since when something runs

// The parts of a status line that can be left out, the least important first.
enum Part { kLast, kBar, kDoing, kElapsed, kSince, kBest, kParts };

std::string words(std::int64_t seconds) {
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", (seconds + 30) / 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds % 3600 / 60);
}

// Rounded, so that an estimate does not change all the time.
std::string roughly(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  const std::int64_t step = whole <= 10 ? 1 : whole < 60 ? 5 : whole < 3600 ? 60 : 300;
  return "about " + words((whole + step / 2) / step * step);
}

// What a progress counts. An estimate is never below what runs already, which begins at `first`.
std::string count_of(const Progress& p, std::int64_t first) {
  if (p.unit.empty()) return p.total > 0 ? fmt::format("{}/{}", p.done, p.total) : fmt::format("{}", p.done);
  const std::int64_t last = std::max(first, p.done + (first > p.done ? p.running : 0));
  const std::string name =
      last > first ? fmt::format("{}s {} to {}", p.unit, first, last) : fmt::format("{} {}", p.unit, first);
  return p.total > 0 ? fmt::format("{} of about {}", name, std::max(p.total, last)) : name;
}

// Full only where all is done.
std::string cells_of(const Progress& p, bool utf8) {
  const std::int64_t full = std::min(kBarCells * p.done / p.total, p.unit.empty() ? kBarCells : kBarCells - 1);
  std::string out;
  for (std::int64_t i = 0; i < kBarCells; ++i) out += i < full ? (utf8 ? "━" : "#") : (utf8 ? "╌" : "-");
  return out;
}

// What runs now, and since when: "testing 2023-08-24 for 40 s".
std::string now_of(const Progress& p, double seconds, bool with_doing, bool with_time, bool utf8) {
  std::string text = with_doing && !p.doing.empty() ? p.doing + " " : "";
  text += fit(p.subject, 40, utf8);
  if (!p.unit.empty() && p.running > 1) text += fmt::format(" and {} more", p.running - 1);
  const double since = seconds - p.doing_since;
  if (with_time && !p.doing.empty() && since >= kLongRun) text += " for " + words(static_cast<std::int64_t>(since));
  return text;
}

std::string time_of(const Progress& p, double seconds, bool with_elapsed) {
  const std::string elapsed = words(static_cast<std::int64_t>(seconds));
  const auto rest = p.eta(seconds);
  if (!rest) return seconds >= 1 ? elapsed + " so far" : "";
  return (with_elapsed && seconds >= 1 ? elapsed + " so far, " : "") + roughly(*rest) + " left";
}

}  // namespace

Console::Console(int out, int err)
    : out_(out),
      err_(err),
      out_is_terminal_(isatty(out) != 0),
      err_has_status_line_(obeys_escapes(err)),
      utf8_(locale_is_utf8()),
      colored_(obeys_escapes(out) && variable("NO_COLOR").empty()) {}  // https://no-color.org

std::size_t Console::width() const {
  for (const int fd : {out_, err_}) {
    winsize size{};
    if (isatty(fd) != 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  return 80;
}

void Console::show(std::string line) {
  if (!err_has_status_line_ || line == status_) return;
  status_ = std::move(line);
  write_to_err(std::string(kEraseLine) + status_);
}

void Console::hide() {
  if (status_.empty()) return;
  status_.clear();
  write_to_err(std::string(kEraseLine));
}

void Console::write_to_err(const std::string& bytes) {
  if (err_failed_) return;
  try {
    write_all(err_, bytes, "standard error");
  } catch (const Error&) {
    err_failed_ = true;
  }
}

void Console::write_to_out(const std::string& text) {
  const bool covered = out_is_terminal_ && !status_.empty();
  try {
    write_all(out_, covered ? std::string(kEraseLine) + text : text, "standard output");
  } catch (const Error&) {
    lost_reader_ = errno == EPIPE;
    throw;
  }
  if (covered) write_to_err(status_);
}

void Console::write_out(std::string_view text) { write_to_out(out_is_terminal_ ? printable(text) : std::string(text)); }

void Console::write_out(std::string_view head, std::string_view color, std::string_view rest) {
  if (!colored_) return write_out(std::string(head) + std::string(rest));
  write_to_out(std::string(color) + printable(head) + std::string(kPlain) + printable(rest));
}

void Console::write_err(std::string_view text) {
  const std::string shown = printable(wrapped(text, isatty(err_) != 0 ? width() : 0));
  write_to_err(status_.empty() ? shown : std::string(kEraseLine) + shown + status_);
}

Console& console() {
  static Console one(STDOUT_FILENO, STDERR_FILENO);
  return one;
}

std::optional<double> Progress::eta(double seconds) const {
  if (left) return std::max(1.0, *left - std::min(seconds - left_at, left_now));
  const auto finished = done - done_before;
  if (total <= done || finished <= 0) return std::nullopt;
  const double each = paced_at / static_cast<double>(finished);
  return std::max(1.0, each * static_cast<double>(total - done) - std::min(seconds - paced_at, each));
}

std::string Progress::bar(double seconds, std::size_t width, bool utf8) const {
  for (int left_out = 0;; ++left_out) {
    // Without an answer so far the last result matters more than the bar.
    const auto shows = [&](int part) { return (best.empty() && part <= kBar ? kBar - part : part) >= left_out; };
    std::vector<std::string> head, parts;
    if (!title.empty()) head.push_back(fit(title, 24, utf8));
    if (total > 0 && shows(kBar)) head.push_back(cells_of(*this, utf8));
    head.push_back(count_of(*this, done + 1));
    parts.push_back(join(head, " "));
    if (!subject.empty()) parts.push_back(now_of(*this, seconds, shows(kDoing), shows(kSince), utf8));
    if (!note.empty() && shows(kLast)) parts.push_back("last: " + fit(note, 40));
    if (!best.empty() && shows(kBest)) parts.push_back(fit(best, 40, utf8));
    if (const std::string times = time_of(*this, seconds, shows(kElapsed)); !times.empty()) parts.push_back(times);
    const std::string line = join(parts, "  ");
    if (display_width(line) <= width || left_out == kParts) return fit(line, width, utf8);
  }
}

std::string Progress::log_line(double seconds) const {
  std::vector<std::string> parts{count_of(*this, done) + (unit.empty() ? "" : ":")};
  if (!subject.empty()) parts.push_back(fit(subject, 0));
  if (!note.empty()) parts.push_back(fit(note, 40));
  const auto rest = left ? std::optional(std::max(1.0, *left - left_now)) : eta(seconds);  // what ran is done
  if (rest && total > done) parts.push_back("(" + roughly(*rest) + " left)");
  return join(parts, " ");
}

}  // namespace reg::terminal
