#pragma once

#include <vector>

#include "engine/search/numbers.h"

namespace reg::search {

/// The two named ends of a history beside each other, as two commands are compared: in alternation, until they differ
/// or their difference is bounded. Says nothing of what lies between them.
class Ends {
 public:
  /// `margin`: a difference below it does not matter; 0 = kMargin, or what kEnough runs can bound.
  /// `together`: going to the other end costs a build, so three runs of one are made at a time.
  Ends(double margin, bool together) : margin_(margin), together_(together) {}

  /// From all runs so far, of two units at least. Once the ends differ or are the same they stay so.
  void update(const Samples& samples);

  EndsFound::Verdict verdict() const { return verdict_; }
  bool differ() const { return verdict_ == EndsFound::Verdict::differ; }
  const Comparison& comparison() const { return comparison_; }
  /// A size that their difference does not exceed, with 95 % confidence.
  double bound() const;
  /// About how many more of their runs would tell.
  int runs_to_tell() const;
  /// The ends to run next, in turn. `latest`: the unit that was run last.
  std::vector<int> next(const Samples& samples, int latest) const;

 private:
  double margin_;
  bool together_;
  EndsFound::Verdict verdict_ = EndsFound::Verdict::open;
  Comparison comparison_;
  int runs_ = 0;
};

/// Where the one change between two ends that differ is: the probability of each place, by all runs so far. The noise
/// has tails, so that no single run decides. Source: noisy binary search, as in Burnashev and Zigangirov, "An interval
/// estimation problem for controlled observations", Problems of Information Transmission 10 (1974).
class Bisection {
 public:
  /// From the runs of two units or more; the outermost ones are the ends.
  Bisection(const Line& line, const Samples& samples);

  /// The unit where one more run tells most for its cost; -1 where the place is known, or where one change does not
  /// explain the runs: those on both sides of the likeliest place are not like those of the ends.
  int next() const;

 private:
  double before(int unit) const { return place_[static_cast<std::size_t>(unit) + 1]; }
  bool fits() const;
  void find_sides();

  const Line& line_;
  const Samples& samples_;
  int first_, last_;
  std::vector<double> place_;       // probability that the change came with each unit or an earlier one
  std::vector<double> low_, high_;  // runs of the units between the ends that almost surely are on either side
  Scatter scatter_;
};

}  // namespace reg::search
