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

template <class T>
std::pair<std::int64_t, std::int64_t> limits() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

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
  std::memcpy(bytes.data(), &value, sizeof value);  // little-endian, as every machine with a GPU is
  out.append(bytes.data(), size_of(dtype));
}

std::pair<std::int64_t, std::int64_t> range_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::i8:
      return limits<std::int8_t>();
    case Dtype::i16:
      return limits<std::int16_t>();
    case Dtype::i32:
      return limits<std::int32_t>();
    case Dtype::u8:
      return limits<std::uint8_t>();
    case Dtype::u16:
      return limits<std::uint16_t>();
    case Dtype::u32:
      return limits<std::uint32_t>();
    default:
      return limits<std::int64_t>();
  }
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
  switch (dtype) {
    case Dtype::i8:
      return read_as<std::int8_t>(bytes);
    case Dtype::i16:
      return read_as<std::int16_t>(bytes);
    case Dtype::i32:
      return read_as<std::int32_t>(bytes);
    case Dtype::u8:
      return read_as<std::uint8_t>(bytes);
    case Dtype::u16:
      return read_as<std::uint16_t>(bytes);
    case Dtype::u32:
      return read_as<std::uint32_t>(bytes);
    default:
      return read_as<std::int64_t>(bytes);
  }
}

}  // namespace reg::cuda
