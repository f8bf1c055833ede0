#include "engine/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace reg::results {
namespace {

constexpr std::size_t kLanes = 8, kBlock = 128;

// numpy adds in this order: eight sums side by side, and halves where there are many. Another order ends in other bits.
double pairwise_sum(const double* at, std::size_t count) {
  if (count > kBlock) {
    const std::size_t half = count / 2 - count / 2 % kLanes;
    return pairwise_sum(at, half) + pairwise_sum(at + half, count - half);
  }
  double sum = 0;
  std::size_t next = 0;
  if (count >= kLanes) {
    double lane[kLanes];
    std::copy_n(at, kLanes, lane);
    for (next = kLanes; next + kLanes <= count; next += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) lane[k] += at[next + k];
    sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
  for (; next < count; ++next) sum += at[next];
  return sum;
}

void add_rest(const double* at, std::size_t count, Statistics& statistics) {
  const auto number = static_cast<double>(count);
  statistics.has_rest = true;
  statistics.mean = pairwise_sum(at, count) / number;
  std::vector<double> squares(at, at + count);
  for (double& value : squares) value = (value - statistics.mean) * (value - statistics.mean);
  statistics.deviation = std::sqrt(pairwise_sum(squares.data(), count) / number);
}

}  // namespace

Statistics statistics_of(const std::vector<double>& values) {
  Statistics statistics;
  if (values.size() > 1) add_rest(values.data() + 1, values.size() - 1, statistics);
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
    statistics.min = statistics.median = statistics.max = std::numeric_limits<double>::quiet_NaN();
    return statistics;
  }
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  statistics.min = sorted.front();
  statistics.max = sorted.back();
  statistics.median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return statistics;
}

}  // namespace reg::results
