#pragma once

#include <vector>

#include "tests/search/history.h"
#include "tests/search/player.h"

namespace reg::score {

/// What came of one history.
struct Outcome {
  int runs = 0, rounds = 0;
  int wrong = 0;       ///< changes that were said and are not there, or not exactly there
  bool exact = false;  ///< every change at its exact place, and nothing else said
  int claims = 0;      ///< changes said with p >= .95
  int claims_true = 0;
  int sizes = 0, sizes_held = 0;  ///< of changes at their exact place: those that the 95 % interval holds
  bool unresolved = false, no_change = false;
  double resolution = 0;         ///< claimed, in parts of the noise; 0 = none was
  bool untrue = false;           ///< there is another change of that size
  bool nothing_found = false;    ///< "no change", with a resolution
  bool planted_covered = false;  ///< then: the step of that size that was planted
};

Outcome judge(const History& history, const Played& played);
/// Whether each true change lies in one that was said, however wide.
bool covers_all(const History& history, const Played& played);

/// What came of many.
struct Score {
  int histories = 0;
  double runs = 0, rounds = 0;                   ///< on average
  int runs_95 = 0, runs_most = 0;                ///< the 95th percentile, and the most
  int exact = 0, unresolved = 0, no_change = 0;  ///< histories
  double wrong = 0;                              ///< false changes a history
  int claims = 0, claims_true = 0;
  int sizes = 0, sizes_held = 0;
  double resolution = 0;            ///< of those with one, on average
  int resolutions = 0, untrue = 0;  ///< histories
  int nothing_found = 0, planted_covered = 0;
};

Score sum_up(const std::vector<Outcome>& outcomes);

/// Wilson's 95 % interval of a proportion.
struct Interval {
  double low = 0, high = 1;
};
Interval wilson(int hits, int of);

}  // namespace reg::score
