#include "engine/base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

namespace reg {
namespace {

// The range of times with a four-digit year.
constexpr UnixTime kYear0 = -62'167'219'200;
constexpr UnixTime kYear10000 = 253'402'300'800;
constexpr std::size_t kDate = 10;  // the length of "2023-08-24"

// The offset that a time ends in, "", "Z" or "+02:00", in seconds.
std::optional<int> offset_of(const std::string& zone) {
  std::tm parts{};
  const char* const end = zone.empty() ? nullptr : strptime(zone.c_str(), "%z", &parts);
  if (zone.empty() || (end != nullptr && *end == '\0')) return static_cast<int>(parts.tm_gmtoff);
  return std::nullopt;
}

}  // namespace

std::optional<UnixTime> parse_time(std::string_view text) {
  const std::size_t zone = std::min(text.find_first_of("Z+-", kDate + 1), text.size());
  const auto offset = offset_of(std::string(text.substr(zone)));
  std::string time(text.substr(0, zone));
  if (time.size() > kDate && time[kDate] == ' ') time[kDate] = 'T';
  for (const char* format : {"%04Y-%m-%d", "%04Y-%m-%dT%H", "%04Y-%m-%dT%H:%M", "%04Y-%m-%dT%H:%M:%S"}) {
    const auto found = parse_time(time, format);
    if (!found || !offset) continue;
    const UnixTime t = *found - *offset;
    return t < kYear0 || t >= kYear10000 ? std::nullopt : std::optional(t);
  }
  return std::nullopt;
}

std::optional<double> parse_duration(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 7> units{
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
    const auto unit = std::ranges::find_if(units, [&](const auto& one) { return text.starts_with(one.first); });
    if (unit == units.end()) return std::nullopt;
    text.remove_prefix(unit->first.size());
    total += value * unit->second;
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

UnixTime now() { return std::time(nullptr); }

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace reg
