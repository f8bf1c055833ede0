#include "engine/arrays/npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/base/text.h"

namespace reg {

namespace {

// The number with `fraction_bits` of its 16 bits for the fraction, rounded once.
std::uint16_t rounded(long double value, int fraction_bits) {
  const int sign = std::signbit(value) ? 0x8000 : 0, infinite = 0x7fff >> fraction_bits << fraction_bits;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinite | 1 << (fraction_bits - 1));
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinite);
  const int smallest = 2 - (1 << (14 - fraction_bits));  // exponent; those of subnormal numbers are below
  const int exponent = std::max(std::ilogb(value), smallest);
  // The leading bit of a normal number and rounding up to the next power of two carry into the exponent correctly.
  const long double steps = std::nearbyint(std::ldexp(std::fabs(value), fraction_bits - exponent));
  const int size = ((exponent - smallest) << fraction_bits) + static_cast<int>(steps);
  return static_cast<std::uint16_t>(sign | std::min(size, infinite));
}

}  // namespace

std::uint16_t to_f16(long double value) { return rounded(value, 10); }
std::uint16_t to_bf16(long double value) { return rounded(value, 7); }

double from_f16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double from_bf16(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

}  // namespace reg

namespace reg::arrays {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kStart = 8;                // bytes: the magic number and the version
constexpr std::uint64_t kMostHeader = 1 << 20;   // bytes
constexpr std::uint64_t kMostBytes = INT64_MAX;  // of numbers

template <class Bits>
Number as_is(Bits bits) {
  return static_cast<Number>(bits);
}
Number as_bool(std::uint8_t bits) { return bits != 0 ? 1 : 0; }

template <class Bits, auto convert = as_is<Bits>>
void decode(const char* bytes, std::size_t count, Number* out) {
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
    out[i] = convert(bits);
  }
}

struct Type {
  std::string_view name;  // in the header, without the byte order
  std::size_t size;
  void (*decode)(const char* bytes, std::size_t count, Number* out);
};

constexpr Type kTypes[] = {{"f8", 8, decode<double>},
                           {"f4", 4, decode<float>},
                           {"f2", 2, decode<std::uint16_t, from_f16>},
                           {"V2", 2, decode<std::uint16_t, from_bf16>},
                           {"i8", 8, decode<std::int64_t>},
                           {"i4", 4, decode<std::int32_t>},
                           {"i2", 2, decode<std::int16_t>},
                           {"i1", 1, decode<std::int8_t>},
                           {"u8", 8, decode<std::uint64_t>},
                           {"u4", 4, decode<std::uint32_t>},
                           {"u2", 2, decode<std::uint16_t>},
                           {"u1", 1, decode<std::uint8_t>},
                           {"b1", 1, decode<std::uint8_t, as_bool>}};

[[noreturn]] void corrupt(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::corrupt, path + ": " + what, "Write it again with numpy.save.");
}

// The value of a key in the header, which numpy always writes in the same form; "" if it is not there.
std::string_view value_of(std::string_view header, std::string_view key, std::string_view end) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size());
  const std::size_t length = header.find(end);
  return length == std::string_view::npos ? std::string_view() : trim(header.substr(0, length));
}

constexpr std::uint64_t kAtOnce = 1 << 16;
constexpr Number kInfinite = std::numeric_limits<Number>::infinity();

Shape indices_of(std::uint64_t place, const Npy& array) {
  const Shape& shape = array.shape();
  Shape indices(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = array.fortran() ? i : shape.size() - 1 - i;
    indices[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return indices;
}

// |result - reference|, infinite if either is NaN or infinite.
Number distance(Number reference, Number result) {
  return std::isfinite(reference) && std::isfinite(result) ? std::fabs(result - reference) : kInfinite;
}

Difference difference_of(Npy& reference, Npy& result) {
  Difference found;
  found.count = reference.count();
  std::vector<Number> wanted, got;
  Number errors = 0, largest = -1;
  for (std::uint64_t first = 0; first < found.count; first += wanted.size()) {
    wanted.resize(std::min(kAtOnce, found.count - first));
    got.resize(wanted.size());
    reference.read(first, wanted.size(), wanted.data());
    result.read(first, got.size(), got.data());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool equal = wanted[i] == got[i] || (std::isnan(wanted[i]) && std::isnan(got[i]));
      const Number apart = equal ? 0 : distance(wanted[i], got[i]);
      if (!equal) {
        ++found.different;
        if (apart == kInfinite) ++found.unmatched;
        if (wanted[i] == 0 && apart != kInfinite) ++found.off_zero;
        errors += std::isinf(apart) ? apart : apart / std::fabs(wanted[i]);
      }
      if (apart <= largest) continue;
      largest = apart;
      found.largest_at = indices_of(first + i, reference);
      found.reference_there = static_cast<double>(wanted[i]);
      found.result_there = static_cast<double>(got[i]);
    }
  }
  found.largest_difference = static_cast<double>(std::max<Number>(largest, 0));
  if (found.count > 0) found.value = static_cast<double>(errors / static_cast<Number>(found.count));
  return found;
}

}  // namespace

std::string to_string(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

// O_NONBLOCK: opening a named pipe does not wait.
Npy::Npy(std::string path) : path_(std::move(path)), file_(open_file(path_, O_RDONLY | O_NONBLOCK)) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw system_error(path_, errno);
  if (!S_ISREG(status.st_mode)) corrupt(path_, "is not a regular file");
  read_header();
  const std::uint64_t there = static_cast<std::uint64_t>(status.st_size) - begin_;
  const bool empty = std::find(shape_.begin(), shape_.end(), 0) != shape_.end();
  std::uint64_t needed = empty ? 0 : size_;
  for (const std::uint64_t extent : shape_)
    if (!empty && __builtin_mul_overflow(needed, extent, &needed)) needed = kMostBytes;
  if (needed != there)
    corrupt(path_, fmt::format("has {} bytes of numbers, {} than its shape {} takes", there,
                               there < needed ? "fewer" : "more", to_string(shape_)));
  count_ = needed / size_;
}

void Npy::read_header() {
  const std::string start = bytes(0, kStart);
  const std::size_t length = start[kMagic.size()] == 1 ? 2 : 4;  // bytes, little-endian: version 1, or 2 and 3
  if (!start.starts_with(kMagic)) corrupt(path_, "is not a valid .npy file: bad magic number");
  std::uint32_t size = 0;
  std::memcpy(&size, bytes(kStart, length).data(), length);
  if (size > kMostHeader) corrupt(path_, fmt::format("has a header of {} bytes", size));
  begin_ = kStart + length + size;
  const std::string header = bytes(kStart + length, size);
  const std::string_view type = value_of(header, "'descr': ", ", 'fortran_order'");
  for (const Type& one : kTypes) {
    if (type.size() != 5 || std::string_view("<|").find(type[1]) == std::string_view::npos) break;
    if (type.substr(2, 2) != one.name) continue;
    size_ = one.size;
    decode_ = one.decode;
  }
  std::string_view shape = value_of(header, "'shape': (", ")");
  if (type.empty() || header.find("'shape': (") == std::string::npos) corrupt(path_, "its header is damaged");
  if (decode_ == nullptr)
    throw Error(ErrorKind::unavailable, path_ + ": cannot compare numbers of type " + printable(type.substr(0, 60)),
                "Save little-endian real numbers; of complex ones, save both parts.");
  fortran_ = value_of(header, "'fortran_order': ", ",") == "True";
  if (shape.size() > 1 && shape.ends_with(',')) shape.remove_suffix(1);
  for (const auto text : shape.empty() ? std::vector<std::string_view>() : split(shape, ',')) {
    const auto extent = whole_number<std::uint64_t>(trim(text));
    if (!extent) corrupt(path_, "its header has a shape that is not valid");
    shape_.push_back(*extent);
  }
}

void Npy::read(std::uint64_t first, std::size_t count, Number* out) {
  decode_(bytes(begin_ + first * size_, count * size_).data(), count, out);
}

std::string Npy::bytes(std::uint64_t from, std::size_t count) const {
  std::string read = read_at(file_.get(), from, count);
  if (read.size() < count) corrupt(path_, fmt::format("ends at byte {}", from + read.size()));
  return read;
}

Comparison compare(const std::string& reference, const std::string& result) {
  Comparison comparison;
  try {
    comparison.failed = "reference";
    Npy wanted(reference);
    comparison.reference_shape = to_string(wanted.shape());
    comparison.failed = "result";
    Npy got(result);
    comparison.result_shape = to_string(got.shape());
    comparison.failed = "comparison";
    if (wanted.shape() == got.shape()) {
      if (wanted.fortran() != got.fortran() && wanted.shape().size() > 1)
        throw Error(ErrorKind::unavailable, result + " and its reference have different orders, C and Fortran",
                    "Save both with numpy.ascontiguousarray.");
      comparison.difference = difference_of(wanted, got);
    }
    comparison.failed.clear();
  } catch (const Error& error) {
    comparison.error = error;
  }
  return comparison;
}

}  // namespace reg::arrays
