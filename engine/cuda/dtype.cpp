#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/cuda/objects.h"

namespace reg::cuda {
namespace {

using arrays::Number;

struct Type {
  const char* name;
  std::size_t size;
  void (*append)(std::string& out, Number value);
  Number (*read)(const char* bytes);
  std::int64_t least = 0, most = 0;  // of an integer
};

template <class From, class To>
To cast(From value) {
  return static_cast<To>(value);
}

// Numbers that are stored as T.
template <class T, T (*encode)(Number) = cast<Number, T>, auto decode = cast<T, Number>>
constexpr Type stored_as(const char* name) {
  return {name, sizeof(T),
          [](std::string& out, Number value) {
            const T stored = encode(value);
            out.append(reinterpret_cast<const char*>(&stored), sizeof stored);
          },
          [](const char* bytes) {
            T stored;
            std::memcpy(&stored, bytes, sizeof stored);
            return Number{decode(stored)};
          }};
}

template <class T>
constexpr Type whole(const char* name) {
  Type type = stored_as<T>(name);
  type.most = std::numeric_limits<T>::max();
  type.least = std::is_signed_v<T> ? -type.most - 1 : 0;
  return type;
}

// In the order of Dtype.
constexpr std::array kTypes{
    stored_as<double>("f64"),
    stored_as<float>("f32"),
    stored_as<std::uint16_t, to_f16, from_f16>("f16"),
    stored_as<std::uint16_t, to_bf16, from_bf16>("bf16"),
    whole<std::int64_t>("i64"),
    whole<std::int32_t>("i32"),
    whole<std::int16_t>("i16"),
    whole<std::int8_t>("i8"),
    whole<std::int64_t>("u64"),  // as Lua's integers are
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
bool is_integer(Dtype dtype) { return type(dtype).most > 0; }
std::pair<std::int64_t, std::int64_t> range_of(Dtype dtype) { return {type(dtype).least, type(dtype).most}; }

void append(std::string& out, Dtype dtype, Number value) { type(dtype).append(out, value); }
Number read_number(const char* bytes, Dtype dtype) { return type(dtype).read(bytes); }

}  // namespace reg::cuda
