#pragma once

#include <cstdint>

namespace reg {

// The half formats, rounded to the nearest, ties to even; beyond their range infinite.
std::uint16_t to_f16(double value);
double from_f16(std::uint16_t bits);
std::uint16_t to_bf16(double value);
double from_bf16(std::uint16_t bits);

}  // namespace reg
