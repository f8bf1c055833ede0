#include "engine/cuda/dtype.h"

#include <array>
#include <cstring>
#include <limits>

#include "engine/arrays/npy.h"

namespace reg::cuda {
namespace {

struct Named {
  const char* name;
  std::size_t size;
};

constexpr std::array<Named, 12> kTypes{{{"f64", 8},
                                        {"f32", 4},
                                        {"f16", 2},
                                        {"bf16", 2},
                                        {"i64", 8},
                                        {"i32", 4},
                                        {"i16", 2},
                                        {"i8", 1},
                                        {"u64", 8},
                                        {"u32", 4},
                                        {"u16", 2},
                                        {"u8", 1}}};

const Named& type(Dtype dtype) { return kTypes.at(static_cast<std::size_t>(dtype)); }

template <class T>
void append_as(std::string& out, T value) {
  std::array<char, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(T));
  out.append(bytes.data(), bytes.size());
}

template <class T>
T read_as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

bool is_signed(Dtype dtype) { return dtype <= Dtype::i8; }  // of integers

}  // namespace

std::optional<Dtype> dtype_of(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes.at(i).name == name) return static_cast<Dtype>(i);
  return std::nullopt;
}

const char* to_string(Dtype dtype) { return type(dtype).name; }
std::size_t size_of(Dtype dtype) { return type(dtype).size; }
bool is_integer(Dtype dtype) { return dtype >= Dtype::i64; }

void append(std::string& out, Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::f64:
      return append_as(out, value);
    case Dtype::f32:
      return append_as(out, static_cast<float>(value));
    case Dtype::f16:
      return append_as(out, to_f16(value));
    case Dtype::bf16:
      return append_as(out, to_bf16(value));
    default:
      return append(out, dtype, static_cast<std::int64_t>(value));
  }
}

void append(std::string& out, Dtype dtype, std::int64_t value) {
  if (!is_integer(dtype)) return append(out, dtype, static_cast<double>(value));
  std::array<char, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  out.append(bytes.data(), size_of(dtype));
}

std::pair<std::int64_t, std::int64_t> range_of(Dtype dtype) {
  const auto bits = 8 * size_of(dtype);
  if (bits == 64) return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  const std::int64_t count = std::int64_t{1} << bits;
  return is_signed(dtype) ? std::pair(-count / 2, count / 2 - 1) : std::pair(std::int64_t{0}, count - 1);
}

double read_number(const char* bytes, Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return read_as<double>(bytes);
    case Dtype::f32:
      return static_cast<double>(read_as<float>(bytes));
    case Dtype::f16:
      return from_f16(read_as<std::uint16_t>(bytes));
    case Dtype::bf16:
      return from_bf16(read_as<std::uint16_t>(bytes));
    default:
      return static_cast<double>(read_integer(bytes, dtype));
  }
}

std::int64_t read_integer(const char* bytes, Dtype dtype) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes, size_of(dtype));  // little-endian, as every machine with a GPU is
  const auto [least, most] = range_of(dtype);
  return value > most ? value + 2 * least : value;
}

}  // namespace reg::cuda
