#pragma once

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

}  // namespace reg::score
