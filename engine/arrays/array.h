#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/arrays/dtype.h"

namespace reg::arrays {

using Shape = std::vector<std::uint64_t>;
constexpr std::size_t kMostAxes = 64;       ///< as numpy
std::string to_string(const Shape& shape);  ///< "(2, 3)", "(5,)", "()", as numpy writes it

/// How the numbers of a file lie.
struct Layout {
  Dtype dtype;
  Shape shape;
  bool fortran = false;  ///< the first axis changes fastest, not the last
};

/// Numbers in a file, read where they are asked for. What its bytes claim was held against the file's size when it was
/// opened: no claim makes us read beyond the end or allocate more than what is asked for.
class Array {
 public:
  Array(std::string path, Shape shape, bool fortran);
  virtual ~Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  const std::string& path() const { return path_; }
  const Shape& shape() const { return shape_; }
  bool fortran() const { return fortran_; }
  std::uint64_t count() const { return count_; }
  virtual std::string type() const = 0;  ///< "float32"

  /// `count` numbers from the `first` one on, in the order in which they lie. Throws Error(corrupt) where the file has
  /// become shorter since.
  virtual void read(std::uint64_t first, std::size_t count, Number* out) = 0;

 private:
  std::string path_;
  Shape shape_;
  bool fortran_;
  std::uint64_t count_;
};

/// A .npy of version 1, 2 or 3. `as` says what the numbers are where numpy does not know the type: the two bytes ("V2")
/// that ml_dtypes writes a bfloat16 as. Throws Error(corrupt) with what is wrong with the file, and Error(unavailable)
/// for a sound one that holds no real numbers.
std::unique_ptr<Array> open_npy(const std::string& path, std::optional<Dtype> as = {});

/// Bytes and nothing else: the file must be exactly as long as the layout says, else Error(corrupt).
std::unique_ptr<Array> open_raw(const std::string& path, Layout layout);

/// A number or nested lists of numbers, with NaN and Infinity as Python writes them; null is NaN. Its numbers are held
/// in memory, as doubles. Throws Error(corrupt) with the byte where it broke.
std::unique_ptr<Array> open_json(const std::string& path);

}  // namespace reg::arrays
