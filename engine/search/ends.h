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
  explicit Ends(double margin) : margin_(margin) {}

  /// From all runs so far, of two units at least. Once the ends differ or are the same they stay so.
  void update(const Samples& samples);

  State state() const { return state_; }
  const Comparison& comparison() const { return comparison_; }
  /// A size that their difference does not exceed, with 95 % confidence.
  double bound() const;
  /// About how many more of their runs would tell.
  int runs_to_tell() const;
  /// The ends to run next, in turn. `latest`: the unit that was run last. `together`: three runs of an end at a time.
  std::vector<int> next(const Samples& samples, int latest, bool together) const;

 private:
  double margin_;
  State state_ = State::open;
  Comparison comparison_;
  int runs_ = 0;
};

}  // namespace reg::search
