#pragma once

#include <cstdint>
#include <optional>

#include "engine/arrays/array.h"

namespace reg::arrays {

/// When two numbers are close: |result - reference| <= absolute + relative * |reference|, as numpy.isclose has it.
struct Tolerance {
  double relative = 1e-5;
  double absolute = 1e-8;
};

/// How far a result is from its reference. NaN equals NaN and an infinity the same infinity; where one has either and
/// the other another number, their difference is infinite. So no number here is ever NaN.
struct Difference {
  std::uint64_t count = 0;      ///< numbers compared
  std::uint64_t different = 0;  ///< of them not equal
  std::uint64_t not_close = 0;  ///< beyond the tolerance
  std::uint64_t unmatched = 0;  ///< NaN or an infinity in one alone, or another infinity
  std::uint64_t off_zero = 0;   ///< reference 0, result not: their relative errors, and so the mean, are infinite

  double mean_relative_error = 0;  ///< sum(|result - reference| / |reference|) / count; 0 / 0 counts as 0
  double rmse = 0;                 ///< sqrt(sum((result - reference)^2) / count)
  double relative_rmse = 0;        ///< rmse over the root mean square of the reference's finite numbers; 0 / 0 is 0

  double largest = 0;                ///< the largest |result - reference|
  Shape largest_at;                  ///< a place with it, by its indices from 0; none where there is no number
  double reference = 0, result = 0;  ///< the two numbers there
};

/// Reads the two side by side, some MiB at a time, whatever the order each lies in. Nothing where the shapes differ.
std::optional<Difference> difference_of(Array& reference, Array& result, const Tolerance& tolerance = {});

}  // namespace reg::arrays
