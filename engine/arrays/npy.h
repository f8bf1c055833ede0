#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/file.h"

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
  struct Type;
  static const std::vector<Type>& types();

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

}  // namespace reg::arrays
