#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/arrays/npy.h"
#include "engine/base/error.h"

namespace reg::arrays {

/// How far a result is from its reference. NaN equals NaN and an infinity equals itself; on one side only, the
/// difference is infinite. So none of these numbers is NaN.
struct Difference {
  std::uint64_t count = 0;           ///< numbers compared
  std::uint64_t different = 0;       ///< of them not equal
  std::uint64_t unmatched = 0;       ///< NaN or infinite on one side only
  std::uint64_t off_zero = 0;        ///< 0 in the reference only: their relative errors, and so the mean, are infinite
  double mean_relative_error = 0;    ///< sum(|result - reference| / |reference|) / count; 0 / 0 counts as 0
  double largest = 0;                ///< the largest |result - reference|
  Shape largest_at;                  ///< its indices, from 0
  double reference = 0, result = 0;  ///< the two numbers there
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
