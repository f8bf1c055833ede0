#pragma once

#include <vector>

#include "engine/search/compare.h"

namespace reg::search {

/// The two named ends of a history beside each other, as two commands are compared: in alternation, until they differ
/// or their difference is bounded. Says nothing of what lies between them.
class Ends {
 public:
  enum class State { open, differ, same };

  /// `margin`: a difference below it does not matter; 0 = kMargin, or what kEnough runs can bound.
  /// `together`: going to the other end costs a build, so three runs of one are made at a time.
  Ends(double margin, bool together) : margin_(margin), together_(together) {}

  /// From all runs so far, of two units at least. Once the ends differ or are the same they stay so.
  void update(const Samples& samples);

  State state() const { return state_; }
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
  State state_ = State::open;
  Comparison comparison_;
  int runs_ = 0;
};

}  // namespace reg::search
