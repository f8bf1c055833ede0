#include "engine/arrays/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace reg {

std::uint16_t to_f16(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return sign | 0x7e00;
  const double size = std::fabs(value);
  if (size >= 65520) return sign | 0x7c00;  // infinity: the largest number is 65504, and half a step above rounds up
  if (size < std::ldexp(1.0, -14))          // subnormal: multiples of 2^-24
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(size, 24))));
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);                   // 0.5 .. 1
  const double steps = std::nearbyint(std::ldexp(fraction, 11)) - 1024;  // 1024 carries into the exponent correctly
  return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + static_cast<int>(steps)));
}

double from_f16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

std::uint16_t to_bf16(double value) {
  if (std::isnan(value)) return 0x7fc0;
  // Via f32, rounded to odd, so that rounding twice gives the same result as rounding once.
  auto wide = static_cast<float>(value);
  if (std::isfinite(wide) && static_cast<double>(wide) != value) {
    if (std::fabs(static_cast<double>(wide)) > std::fabs(value)) wide = std::nextafter(wide, 0.0F);
    wide = std::bit_cast<float>(std::bit_cast<std::uint32_t>(wide) | 1U);
  }
  const auto bits = std::bit_cast<std::uint32_t>(wide);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

double from_bf16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

}  // namespace reg
