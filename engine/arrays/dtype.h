#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace reg::arrays {

/// What the numbers of a file are, and how their bytes lie.
struct Dtype {
  enum class Kind { boolean, integer, natural, real, brain };

  Kind kind = Kind::real;
  std::size_t size = 4;  ///< bytes a number
  std::endian endian = std::endian::little;

  friend bool operator==(const Dtype&, const Dtype&) = default;
};

/// "float32", "f32", "bf16", "int8", "u8", "bool": little-endian. Nothing for a name that is none.
std::optional<Dtype> dtype_named(std::string_view name);
constexpr std::string_view kDtypeNames =
    "f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, bool; float32, int8 and so on too";

/// "<f4", as numpy writes a type into a file; nothing for one that holds no single real number.
std::optional<Dtype> dtype_of_descr(std::string_view descr);

std::string name_of(const Dtype& dtype);  ///< "float32"

/// Wide enough for every double and every 64 bit integer to be itself (x86-64 and AArch64 Linux).
using Number = long double;

/// `count` numbers out of their bytes.
void decode(const char* bytes, std::size_t count, const Dtype& dtype, Number* out);

}  // namespace reg::arrays
