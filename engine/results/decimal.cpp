#include "engine/results/decimal.h"

#include <array>
#include <bit>
#include <cstdint>

namespace reg::results {
namespace {

__extension__ using Wide = __int128;

constexpr int kMostPlaces = 22;  // up to there a power of ten is a double, and one of five takes 52 bits
constexpr std::uint64_t kMostDigits = 1'000'000'000'000'000'000U;
constexpr std::uint64_t kTop = std::uint64_t{1} << 52;  // of a double's 53 digits

constexpr auto kTens = [] {
  std::array<double, kMostPlaces + 1> tens{1};
  for (std::size_t k = 1; k < tens.size(); ++k) tens[k] = tens[k - 1] * 10;
  return tens;
}();

constexpr auto kFives = [] {
  std::array<std::uint64_t, kMostPlaces + 1> fives{1};
  for (std::size_t k = 1; k < fives.size(); ++k) fives[k] = fives[k - 1] * 5;
  return fives;
}();

Wide magnitude(Wide x) { return x < 0 ? -x : x; }

// digits / 10^places. In units of 2^-shift in the last decimal place that is digits * 2^shift, and a double is its 53
// digits times 5^places: whole numbers, and how far one is from the other says all.
std::optional<Decimal> value_of(std::uint64_t digits, int places) {
  const double near =
      static_cast<double>(digits) / kTens[static_cast<std::size_t>(places)];  // within two of the last bit
  const auto bits = std::bit_cast<std::uint64_t>(near);
  const int exponent = static_cast<int>(bits >> 52) - 1075;
  std::uint64_t mantissa = (bits & (kTop - 1)) | kTop;
  const int shift = -(exponent + places);
  if (shift < 0 || shift > 60) return std::nullopt;
  const Wide five = kFives[static_cast<std::size_t>(places)], scaled = static_cast<Wide>(digits) << shift;
  Wide apart = scaled - static_cast<Wide>(mantissa) * five;
  for (int k = 0; k < 2 && 2 * magnitude(apart) > five; ++k) {
    mantissa = apart > 0 ? mantissa + 1 : mantissa - 1;
    apart = scaled - static_cast<Wide>(mantissa) * five;
  }
  // Beside a power of two the doubles are not as far apart on both sides, and from the middle of two either is as near.
  if (mantissa <= kTop || mantissa >= 2 * kTop || 2 * magnitude(apart) >= five) return std::nullopt;
  Decimal decimal;
  decimal.value = std::bit_cast<double>((bits & ~(kTop - 1)) | (mantissa & (kTop - 1)));
  const Wide below = static_cast<Wide>(digits % 10) << shift, above = static_cast<Wide>(10 - digits % 10) << shift;
  const bool none_shorter =
      digits % 10 != 0 && 2 * magnitude(apart - below) > five && 2 * magnitude(apart + above) > five;
  decimal.shortest = none_shorter && 2 * magnitude(apart) < (Wide{1} << shift);
  return decimal;
}

}  // namespace

std::optional<Decimal> read_decimal(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || text.size() > kMostPlaces) return std::nullopt;
  std::uint64_t digits = 0;
  for (const char c : text) {
    if (c == '.') continue;
    if (c < '0' || c > '9' || digits >= kMostDigits / 10) return std::nullopt;
    digits = digits * 10 + static_cast<std::uint64_t>(c - '0');
  }
  const int places = static_cast<int>(text.size() - point - 1);
  if (digits == 0 || places == 0) return std::nullopt;
  std::optional<Decimal> decimal = value_of(digits, places);
  if (decimal && negative) decimal->value = -decimal->value;
  return decimal;
}

}  // namespace reg::results
