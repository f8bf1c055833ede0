#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file.h"

namespace reg {

// IEEE binary16 and bfloat16: round to nearest, ties to even; infinity beyond their range.
std::uint16_t to_f16(long double value);
double from_f16(std::uint16_t bits);
std::uint16_t to_bf16(long double value);
double from_bf16(std::uint16_t bits);

}  // namespace reg

namespace reg::arrays {

using Shape = std::vector<std::uint64_t>;
std::string to_string(const Shape& shape);  ///< "(2, 3)", "(5,)", "()", as numpy writes it

/// Wide enough to hold every double and every 64-bit integer exactly (x86-64 and AArch64 Linux).
using Number = long double;

/// A .npy file of real numbers, read in pieces. Supports little-endian floats, integers and booleans, and bfloat16 as
/// ml_dtypes writes it ("V2"). Its header is checked against the size of the file, so nothing is read beyond the end.
class Npy {
 public:
  /// Throws corrupt if the file is damaged, unavailable if it holds other numbers, and what opening a file throws.
  explicit Npy(std::string path);

  const Shape& shape() const { return shape_; }
  bool fortran() const { return fortran_; }  ///< the first axis changes fastest
  std::uint64_t count() const { return count_; }

  /// `count` numbers from the `first` one on, as they lie in the file. Throws corrupt if it has become shorter.
  void read(std::uint64_t first, std::size_t count, Number* out);

 private:
  using Decode = void (*)(const char* bytes, std::size_t count, Number* out);
  void read_header();
  std::string bytes(std::uint64_t from, std::size_t count) const;

  std::string path_;
  Fd file_;
  std::uint64_t begin_ = 0;  // of the numbers
  std::size_t size_ = 0;     // of one number, in bytes
  Decode decode_ = nullptr;
  Shape shape_;
  bool fortran_ = false;
  std::uint64_t count_ = 0;
};

/// How far a result is from its reference. NaN equals NaN and an infinity equals itself; on one side only, the
/// difference is infinite. So none of these numbers is NaN.
struct Difference {
  std::uint64_t count = 0;        ///< numbers compared
  std::uint64_t different = 0;    ///< of them not equal
  std::uint64_t unmatched = 0;    ///< NaN or infinite on one side only
  std::uint64_t off_zero = 0;     ///< 0 in the reference only: their relative errors, and so the mean, are infinite
  double value = 0;               ///< sum(|result - reference| / |reference|) / count; 0 / 0 counts as 0
  double largest_difference = 0;  ///< the largest |result - reference|
  Shape largest_at;               ///< its indices, from 0
  double reference_there = 0, result_there = 0;
};

/// What comparing two files found: a difference, two shapes that differ, or an error and where it came from.
struct Comparison {
  std::optional<Difference> difference;
  std::string reference_shape, result_shape;
  std::string failed;  ///< "reference", "result" or "comparison"; "" without an error
  std::optional<Error> error;
};

/// Compares two .npy files piece by piece, in bounded memory.
Comparison compare(const std::string& reference, const std::string& result);

}  // namespace reg::arrays
