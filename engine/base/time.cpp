#include "engine/base/time.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>

namespace reg {
namespace {

// Parses fixed-width digits from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool empty() const { return rest_.empty(); }
  bool accept(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<int> digits(std::size_t width) {
    if (rest_.size() < width) return std::nullopt;
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + width, value);
    if (error != std::errc{} || end != rest_.data() + width || rest_.front() == '-') return std::nullopt;
    rest_.remove_prefix(width);
    return value;
  }

 private:
  std::string_view rest_;
};

// The range of times with a four-digit year.
constexpr UnixTime kYear0 = -62'167'219'200;
constexpr UnixTime kYear10000 = 253'402'300'800;

// Parses what follows the time of day: nothing, "Z", or "+hh:mm". Returns the offset in seconds.
std::optional<int> read_offset(Reader& in) {
  if (in.empty() || (in.accept('Z') && in.empty())) return 0;
  const int sign = in.accept('+') ? 1 : in.accept('-') ? -1 : 0;
  const auto hours = in.digits(2);
  in.accept(':');
  const auto minutes = in.digits(2);
  if (sign == 0 || !hours || !minutes || *hours > 14 || *minutes > 59 || !in.empty()) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

}  // namespace

std::optional<UnixTime> parse_time(std::string_view text) {
  Reader in(text);
  const auto year = in.digits(4);
  if (!year || !in.accept('-')) return std::nullopt;
  const auto month = in.digits(2);
  if (!month || !in.accept('-')) return std::nullopt;
  const auto day = in.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  UnixTime t = std::chrono::sys_seconds{std::chrono::sys_days{date}}.time_since_epoch().count();
  if (in.empty()) return t;
  if (!in.accept('T') && !in.accept(' ')) return std::nullopt;
  const auto hour = in.digits(2);
  if (!hour || *hour > 23) return std::nullopt;
  t += *hour * 3600;
  if (in.accept(':')) {
    const auto minute = in.digits(2);
    if (!minute || *minute > 59) return std::nullopt;
    t += *minute * 60;
    if (in.accept(':')) {
      const auto second = in.digits(2);
      if (!second || *second > 59) return std::nullopt;
      t += *second;
    }
  }
  const auto offset = read_offset(in);
  if (!offset) return std::nullopt;
  t -= *offset;
  if (t < kYear0 || t >= kYear10000) return std::nullopt;
  return t;
}

std::optional<double> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  static constexpr std::array<Unit, 7> units{
      {{"ms", 0.001}, {"min", 60}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}}};
  double total = 0;
  bool bare = true;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc{} || value < 0 || !std::isfinite(value)) return std::nullopt;
    const bool whole = end == text.data() + text.size();
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (whole) return bare ? std::optional(value) : std::nullopt;  // a bare number is seconds
    double scale = 0;
    for (const Unit& unit : units) {
      if (text.starts_with(unit.name)) {
        scale = unit.seconds;
        text.remove_prefix(unit.name.size());
        break;
      }
    }
    if (scale == 0) return std::nullopt;
    total += value * scale;
    bare = false;
  }
  return std::isfinite(total) ? std::optional(total) : std::nullopt;
}

std::optional<UnixTime> parse_time(const std::string& text, const std::string& strftime_format) {
  std::tm parts{};
  parts.tm_year = 70;
  parts.tm_mday = 1;
  const char* end = strptime(text.c_str(), strftime_format.c_str(), &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const std::time_t stamp = timegm(&parts);
  return format_time(stamp, strftime_format) == text ? std::optional<UnixTime>(stamp) : std::nullopt;
}

std::string format_time(UnixTime t, const std::string& strftime_format) {
  const std::time_t stamp = t;
  std::tm parts{};
  gmtime_r(&stamp, &parts);
  std::string out(strftime_format.size() * 8 + 64, '\0');
  out.resize(std::strftime(out.data(), out.size(), strftime_format.c_str(), &parts));
  return out;
}

std::string format_date(UnixTime t) { return format_time(t, "%04Y-%m-%d"); }

std::string format_time(UnixTime t) { return format_time(t, "%04Y-%m-%dT%H:%M:%SZ"); }

std::string format_duration(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 59.5) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

UnixTime now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

}  // namespace reg
