#pragma once

#include <vector>

#include "engine/search/compare.h"
#include "engine/search/line.h"

namespace reg::search {

/// Where the one change between two ends that differ is: the probability of each place, by all runs so far. The noise
/// has tails, so that no single run decides. Source: noisy binary search, as in Burnashev and Zigangirov, "An interval
/// estimation problem for controlled observations", Problems of Information Transmission 10 (1974).
class Bisection {
 public:
  /// From the runs of two units or more; the outermost ones are the ends.
  Bisection(const Line& line, const Samples& samples);

  /// The unit where one more run tells most for its cost; -1 where the place is known, or where one change does not
  /// explain the runs.
  int next() const;
  /// Whether the runs on both sides of the likeliest place are like those of the ends.
  bool fits() const;

 private:
  double before(int unit) const;  // probability that the change came with this unit or an earlier one

  const Line& line_;
  const Samples& samples_;
  std::vector<double> place_;  // cumulative: up to and with each unit
  Scatter scatter_;
};

}  // namespace reg::search
