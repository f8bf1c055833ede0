#pragma once

#include <vector>

namespace reg::results {

/// What pytorch/xla's result_analyzer tells of one metric's values: the first three over all of them, mean and
/// deviation without the first, in which compilation falls. To the last bit numpy's numbers; one NaN makes NaN of all
/// that it is in.
struct Statistics {
  double min = 0, median = 0, max = 0;
  bool has_rest = false;  ///< there is more than the first
  double mean = 0, deviation = 0;
};

/// `values` must not be empty.
Statistics statistics_of(const std::vector<double>& values);

}  // namespace reg::results
