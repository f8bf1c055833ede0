#pragma once

#include <string>

#include "engine/arrays/difference.h"
#include "engine/base/error.h"

namespace reg::arrays {

/// A file of numbers.
struct Source {
  std::string file;
  std::string format;          ///< "json", "npy" or "raw"
  std::optional<Dtype> dtype;  ///< npy: instead of the file's own; raw: required
  Shape shape;                 ///< raw only, as is `fortran`
  bool fortran = false;
};

/// The result of comparing two files: their difference, two shapes that differ, or an error and where it came from.
struct Comparison {
  std::optional<Difference> difference;
  std::string reference_shape, result_shape;
  std::string failed;  ///< "reference", "result" or "comparison"; "" without an error
  std::optional<Error> error;
};

/// Reads both files and compares them; an error is in the result.
Comparison compare(const Source& reference, const Source& result, const Tolerance& tolerance);

}  // namespace reg::arrays
