#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reg {

/// Seconds since 1970-01-01T00:00:00Z. Every time in regengine is UTC.
using UnixTime = std::int64_t;

/// "2023-08-24", "2023-08-24T13", "2023-08-24 13:00", "2023-08-24T13:00:00Z", with an optional "+02:00" offset.
/// nullopt for any other format and for a date or time that does not exist.
std::optional<UnixTime> parse_time(std::string_view text);

/// By a strftime format, "%Y%m%d"; what it does not say is that of 1970-01-01. nullopt for text in another format.
std::optional<UnixTime> parse_time(const std::string& text, const std::string& strftime_format);

/// "90", "1.5h", "30s", "14d", "1h30m", "2w", "250ms" in seconds; nullopt for any other format.
std::optional<double> parse_duration(std::string_view text);

std::string format_date(UnixTime t);  ///< 2023-08-24
std::string format_time(UnixTime t);  ///< 2023-08-24T13:00:00Z

/// For display: "850 ms", "12.3 s", "4 min 05 s", "2 h 10 min".
std::string format_duration(double seconds);

UnixTime now();
double seconds_now();  ///< on the monotonic clock
/// strftime in UTC.
std::string format_time(UnixTime t, const std::string& strftime_format);

}  // namespace reg
