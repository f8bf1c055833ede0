#pragma once

#include "engine/search/policy.h"

namespace reg::search {

constexpr double kNormal95 = 1.96;

/// Half the width of a 95 % interval in standard deviations that were estimated from the same runs: the quantile of
/// Student's t with one degree of freedom for each run beyond the number of levels. Source: Abramowitz and Stegun,
/// 26.7.5.
double half_width_95(const Evidence& evidence);

/// The level of a row of units that no change parts, and the variance of that.
struct Level {
  double mean = 0;
  double variance = 0;
  std::size_t runs = 0;
};

/// Of the units from first to last that were run. Outliers do not count.
Level level_of(const Evidence& evidence, int first, int last);

/// The same for an answer: after few runs the likeliest noise is too small for an interval that holds.
Level stated_level_of(const Evidence& evidence, int first, int last);

}  // namespace reg::search
