#include "engine/cuda/dtype.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "engine/arrays/npy.h"

namespace reg::cuda {
namespace {

struct Type {
  const char* name;
  std::size_t size;
  std::int64_t least = 0, most = 0;                // of an integer
  void (*append)(std::string&, double) = nullptr;  // nullptr for an integer: it has the first bytes of an int64
  double (*read)(const char*) = nullptr;
};

// Numbers that are stored as T.
template <class T, T (*encode)(double), double (*decode)(T)>
constexpr Type real(const char* name) {
  return {name,
          sizeof(T),
          0,
          0,
          [](std::string& out, double value) {
            const T stored = encode(value);
            out.append(reinterpret_cast<const char*>(&stored), sizeof stored);
          },
          [](const char* bytes) {
            T stored;
            std::memcpy(&stored, bytes, sizeof stored);
            return decode(stored);
          }};
}

template <class From, class To>
To cast(From value) {
  return static_cast<To>(value);
}

// u64 counts as i64, as Lua's integers do.
template <class T>
constexpr Type whole(const char* name) {
  using Limits = std::numeric_limits<std::conditional_t<sizeof(T) == 8, std::int64_t, T>>;
  return {name, sizeof(T), Limits::min(), Limits::max()};
}

// In the order of Dtype.
constexpr std::array kTypes{
    real<double, cast<double, double>, cast<double, double>>("f64"),
    real<float, cast<double, float>, cast<float, double>>("f32"),
    real<std::uint16_t, to_f16, from_f16>("f16"),
    real<std::uint16_t, to_bf16, from_bf16>("bf16"),
    whole<std::int64_t>("i64"),
    whole<std::int32_t>("i32"),
    whole<std::int16_t>("i16"),
    whole<std::int8_t>("i8"),
    whole<std::uint64_t>("u64"),
    whole<std::uint32_t>("u32"),
    whole<std::uint16_t>("u16"),
    whole<std::uint8_t>("u8"),
};

const Type& type(Dtype dtype) { return kTypes.at(static_cast<std::size_t>(dtype)); }

}  // namespace

std::optional<Dtype> dtype_of(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& one) { return one.name == name; });
  return found == kTypes.end() ? std::nullopt : std::optional(static_cast<Dtype>(found - kTypes.begin()));
}

const char* to_string(Dtype dtype) { return type(dtype).name; }
std::size_t size_of(Dtype dtype) { return type(dtype).size; }
bool is_integer(Dtype dtype) { return type(dtype).append == nullptr; }
std::pair<std::int64_t, std::int64_t> range_of(Dtype dtype) { return {type(dtype).least, type(dtype).most}; }

void append(std::string& out, Dtype dtype, double value) {
  if (is_integer(dtype)) return append(out, dtype, static_cast<std::int64_t>(value));
  type(dtype).append(out, value);
}

void append(std::string& out, Dtype dtype, std::int64_t value) {
  if (!is_integer(dtype)) return append(out, dtype, static_cast<double>(value));
  out.append(reinterpret_cast<const char*>(&value), size_of(dtype));
}

double read_number(const char* bytes, Dtype dtype) {
  return is_integer(dtype) ? static_cast<double>(read_integer(bytes, dtype)) : type(dtype).read(bytes);
}

std::int64_t read_integer(const char* bytes, Dtype dtype) {
  std::int64_t value = 0;
  std::memcpy(&value, bytes, size_of(dtype));  // little-endian, as every machine with a GPU is
  const auto [least, most] = range_of(dtype);
  return value > most ? value + 2 * least : value;
}

}  // namespace reg::cuda
