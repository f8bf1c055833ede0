#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace reg::search {

/// What was seen, by unit: logarithms of a metric, 0 and 1 of a flaky test.
using Samples = std::map<int, std::vector<double>>;

/// One run of the log, which has them in their order.
struct Run {
  int unit = 0;
  std::size_t number = 0;  ///< of the unit's numbers
  bool failed = false;
  int machine = 0;
};

/// How runs of one subject scatter around its level: the standard deviation of the bulk of them, which a slow tail or
/// a burst of load does not widen, and the degrees of freedom that it rests on.
struct Scatter {
  double sigma = 0;
  double freedom = 0;
};

/// Of all runs together, each beside those of its own unit. Source: Shamos's estimator, the median distance of pairs.
Scatter scatter_of(const Samples& samples);

/// The level of runs: Huber's estimate of location, for which a run far off counts as one that is 1.5 sigma off.
/// Source: Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics 35 (1964).
double bulk_of(const std::vector<double>& ys, double sigma);

/// Standard error of the level of so many runs.
double level_error(std::size_t runs, const Scatter& scatter);

/// How far two levels are apart by their runs alone, on the scale of the mathematics.
struct Comparison {
  double difference = 0;  ///< of the second level beyond the first
  double error = 0;       ///< its standard error
  double freedom = 0;

  /// In standard errors, with the sign of the difference, as they would count had the noise been known: few runs say
  /// less. Source: Wallace, "Bounds on normal approximations to Student's and the chi-square distributions", Annals of
  /// Mathematical Statistics 30 (1959).
  double sigmas() const;
  /// Half of the 95 % interval.
  double half() const;
};

Comparison compare(const std::vector<double>& a, const std::vector<double>& b, const Scatter& scatter);

/// The quantile of Student's t below which 97.5 % lie. Source: Abramowitz and Stegun, 26.7.5.
double student_95(double freedom);

}  // namespace reg::search
