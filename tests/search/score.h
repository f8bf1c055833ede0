#pragma once

#include <string>
#include <vector>

#include "tests/search/history.h"

namespace reg::score {

/// A change that a player says is in (lo, hi], and how sure it is.
struct Said {
  int lo = 0, hi = 0;
  double p = 1;
  bool open = false;         ///< somewhere in (lo, hi], and no place is named
  double low = 0, high = 0;  ///< its size, a part of the level before: the 95 % interval; 0 = it says none
};

struct Played {
  std::vector<Said> said;
  int rounds = 0;  ///< 0 = it knows none
  bool unresolved = false;
  bool no_change = false;  ///< its verdict
  double resolution = 0;   ///< relative; 0 = it claims none
};

/// Plays search::Search against the history. `show`: prints each request with its reason and what came of it, then the
/// answer beside the truth.
Played play_ours(History& history, int parallel, bool show);
/// git bisect as it is run by hand on a number: the median of `repeats` runs against the middle between both ends'. It
/// skips what gives no number, and says nothing where the ends are alike.
Played play_bisect(History& history, int repeats);

double median(std::vector<double> values);

/// What came of one history, or of many together.
struct Score {
  std::vector<int> runs;  ///< of each history
  int rounds = 0;
  int exact = 0;                      ///< histories with every change at its exact place, and nothing else said
  int wrong = 0;                      ///< changes that were said and are not there, or not exactly there
  int claims = 0, claims_true = 0;    ///< changes said with p >= .95
  int sizes = 0, sizes_held = 0;      ///< of changes at their exact place: those that the 95 % interval holds
  int unresolved = 0, no_change = 0;  ///< histories
  int resolutions = 0;                ///< histories with a resolution
  double resolution = 0;              ///< the sum of these, in parts of the noise
  int untrue = 0;                     ///< histories that have another change of that size
  int nothing_found = 0;              ///< "no change", with a resolution
  int planted_covered = 0;            ///< of these: where the step of that size that was planted is covered

  Score& operator+=(const Score& other);
  int histories() const { return static_cast<int>(runs.size()); }
  double runs_on_average() const;
};

Score judge(const History& history, const Played& played);
/// Whether each true change lies in one that was said, however wide.
bool covers_all(const History& history, const Played& played);

/// Wilson's 95 % interval of a proportion.
struct Interval {
  double low = 0, high = 1;
};
Interval wilson(int hits, int of);

void print_head();
void print_row(const std::string& name, const Score& score);

}  // namespace reg::score
