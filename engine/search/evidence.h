#pragma once

#include <vector>

#include "engine/search/numbers.h"
#include "engine/search/posterior.h"

namespace reg::search {

class Direct;
class Ends;

/// Between two neighboring units that were run.
struct Gap {
  int lo = 0, hi = 0;
  double p = 0;      ///< probability of a change in (lo, hi] that is worth finding; see probability()
  int untested = 0;  ///< units between that could still be run
  double bits = 0;   ///< to say with which of them it came

  bool resolved() const { return untested == 0; }
  bool likely() const { return p > 0.5; }
};

/// Without its probability.
Gap gap_of(const Line& line, int lo, int hi);

/// Of a gap: a change worth finding is looked for. Once it is narrowed down its size is estimated, never tested: a
/// notable change is held against none at all.
double probability(const Shifts& change, std::size_t gap, bool resolved);

/// How many statements of the answer are expected to be wrong: each resolved gap is said to hold a change where that is
/// the likelier thing, and each other gap is said to hold none.
double expected_error(const std::vector<Gap>& gaps);

/// Whether a change is likelier than not in a gap that is not narrowed down.
bool any_open(const std::vector<Gap>& gaps);

/// What is known when the next round is chosen. There is a posterior where a history is searched by a number with noise
/// or by a failure rate, and `direct` where all of it is measured by such a number.
struct Evidence {
  const Question& question;
  const Line& line;
  const Scale& scale;
  const Samples& samples;
  const std::vector<Gap>& gaps;
  const Posterior* posterior;
  const Direct* direct;
  const Ends* ends;  ///< of a metric with named ends
  Noise noise;       ///< the likeliest; 0 unless a metric
  Noise stated;      ///< what is said of it: after few runs the likeliest is too small
  const std::vector<Run>& log;
  int runs = 0;  ///< so far, with those that failed

  bool noisy() const { return question.kind == Kind::noisy; }
  int first() const { return gaps.front().lo; }
  int last() const { return gaps.back().hi; }
  std::size_t runs_of(int unit) const { return samples.at(unit).size(); }
};

/// Half the width of a 95 % interval in standard deviations that were estimated from the same runs: one degree of
/// freedom for each run beyond the number of levels.
double half_width_95(const Evidence& evidence);

/// The level of a row of units that no change parts, and the variance of that.
struct Level {
  double mean = 0;
  double variance = 0;
  std::size_t runs = 0;
};

/// Of the units from first to last that were run, under a noise. Outliers do not count.
Level level_of(const Evidence& evidence, int first, int last, const Noise& noise);
inline Level level_of(const Evidence& evidence, int first, int last) {
  return level_of(evidence, first, last, evidence.noise);
}

double distance(const Level& a, const Level& b);
double deviation(const Level& a, const Level& b);

/// Located changes must add up to the difference of the two ends, as their own runs give it.
struct Sum {
  double found = 0;  ///< of the changes: from the first level to the last one
  double ends = 0;   ///< from the runs of the first unit to those of the last one
  double half = 0;   ///< of the 95 % interval of what is between the two

  bool agrees() const;
};

/// The first level ends with unit `first`, and the last one begins with `last`.
Sum sum_of(const Evidence& evidence, int first, int last);

}  // namespace reg::search
