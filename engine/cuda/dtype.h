#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/arrays/npy.h"

namespace reg::cuda {

/// The numbers a buffer holds.
enum class Dtype { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8 };

constexpr std::string_view kDtypeNames = "f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8";

std::optional<Dtype> dtype_of(std::string_view name);
const char* to_string(Dtype dtype);
std::size_t size_of(Dtype dtype);
bool is_integer(Dtype dtype);

/// A number as its bytes, at the end of `out`. That an integer is in range_of its type, the caller checks.
void append(std::string& out, Dtype dtype, arrays::Number value);
/// The smallest and largest whole number of an integer type; u64 counts as i64 here, as Lua's integers do.
std::pair<std::int64_t, std::int64_t> range_of(Dtype dtype);

/// One number out of its bytes.
arrays::Number read_number(const char* bytes, Dtype dtype);

}  // namespace reg::cuda
