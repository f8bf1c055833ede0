#pragma once

#include <cstdint>

namespace reg {

// IEEE binary16 and bfloat16: round to nearest, ties to even; infinity beyond their range.
std::uint16_t to_f16(double value);
double from_f16(std::uint16_t bits);
std::uint16_t to_bf16(double value);
double from_bf16(std::uint16_t bits);

}  // namespace reg
