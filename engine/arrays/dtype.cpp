#include "engine/arrays/dtype.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/arrays/half.h"

namespace reg::arrays {
namespace {

using Kind = Dtype::Kind;

struct Named {
  const char* name;
  const char* short_name;
  Kind kind;
  std::size_t size;
};

constexpr std::array<Named, 13> kTypes{{{"float64", "f64", Kind::real, 8},
                                        {"float32", "f32", Kind::real, 4},
                                        {"float16", "f16", Kind::real, 2},
                                        {"bfloat16", "bf16", Kind::brain, 2},
                                        {"int64", "i64", Kind::integer, 8},
                                        {"int32", "i32", Kind::integer, 4},
                                        {"int16", "i16", Kind::integer, 2},
                                        {"int8", "i8", Kind::integer, 1},
                                        {"uint64", "u64", Kind::natural, 8},
                                        {"uint32", "u32", Kind::natural, 4},
                                        {"uint16", "u16", Kind::natural, 2},
                                        {"uint8", "u8", Kind::natural, 1},
                                        {"bool", "b8", Kind::boolean, 1}}};

std::uint8_t swapped(std::uint8_t bits) { return bits; }
std::uint16_t swapped(std::uint16_t bits) { return __builtin_bswap16(bits); }
std::uint32_t swapped(std::uint32_t bits) { return __builtin_bswap32(bits); }
std::uint64_t swapped(std::uint64_t bits) { return __builtin_bswap64(bits); }

template <class Bits, class Convert>
void each(const char* bytes, std::size_t count, const Dtype& dtype, Number* out, Convert convert) {
  const bool swap = dtype.endian != std::endian::native;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
    out[i] = static_cast<Number>(convert(swap ? swapped(bits) : bits));
  }
}

template <class Bits>
void decode_whole(const char* bytes, std::size_t count, const Dtype& dtype, Number* out) {
  if (dtype.kind == Kind::natural)
    each<Bits>(bytes, count, dtype, out, [](Bits bits) { return bits; });
  else if (dtype.kind == Kind::boolean)
    each<Bits>(bytes, count, dtype, out, [](Bits bits) { return bits != 0 ? 1 : 0; });
  else
    each<Bits>(bytes, count, dtype, out, [](Bits bits) { return static_cast<std::make_signed_t<Bits>>(bits); });
}

}  // namespace

std::optional<Dtype> dtype_named(std::string_view name) {
  for (const Named& type : kTypes)
    if (name == type.name || name == type.short_name) return Dtype{type.kind, type.size};
  return std::nullopt;
}

std::optional<Dtype> dtype_of_descr(std::string_view descr) {
  if (descr.size() < 3) return std::nullopt;
  Dtype dtype;
  switch (descr[0]) {
    case '<':
    case '|':  // a single byte has no order
      break;
    case '=':
      dtype.endian = std::endian::native;
      break;
    case '>':
      dtype.endian = std::endian::big;
      break;
    default:
      return std::nullopt;
  }
  constexpr std::array<std::pair<char, Kind>, 4> kLetters{
      {{'f', Kind::real}, {'i', Kind::integer}, {'u', Kind::natural}, {'b', Kind::boolean}}};
  const std::string_view digits = descr.substr(2);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), dtype.size);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return std::nullopt;
  for (const auto& [letter, kind] : kLetters) {
    if (descr[1] != letter) continue;
    for (const Named& type : kTypes)
      if (type.kind == kind && type.size == dtype.size) return Dtype{kind, type.size, dtype.endian};
  }
  return std::nullopt;
}

std::string name_of(const Dtype& dtype) {
  for (const Named& type : kTypes)
    if (type.kind == dtype.kind && type.size == dtype.size) return type.name;
  return "?";
}

void decode(const char* bytes, std::size_t count, const Dtype& dtype, Number* out) {
  const bool is_real = dtype.kind == Kind::real;
  if (dtype.kind == Kind::brain)
    each<std::uint16_t>(bytes, count, dtype, out, from_bf16);
  else if (is_real && dtype.size == 2)
    each<std::uint16_t>(bytes, count, dtype, out, from_f16);
  else if (is_real && dtype.size == 4)
    each<std::uint32_t>(bytes, count, dtype, out, [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
  else if (is_real)
    each<std::uint64_t>(bytes, count, dtype, out, [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  else if (dtype.size == 1)
    decode_whole<std::uint8_t>(bytes, count, dtype, out);
  else if (dtype.size == 2)
    decode_whole<std::uint16_t>(bytes, count, dtype, out);
  else if (dtype.size == 4)
    decode_whole<std::uint32_t>(bytes, count, dtype, out);
  else
    decode_whole<std::uint64_t>(bytes, count, dtype, out);
}

}  // namespace reg::arrays
