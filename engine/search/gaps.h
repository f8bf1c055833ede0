#pragma once

#include <vector>

#include "engine/search/chain.h"
#include "engine/search/line.h"

namespace reg::search {

/// Between two neighbouring units that were run.
struct Gap {
  int lo = 0, hi = 0;
  double p = 0;      ///< probability of a change in (lo, hi] that is worth finding; see probability()
  int untested = 0;  ///< units between that could still be run
  double bits = 0;   ///< to say with which of them it came

  bool resolved() const { return untested == 0; }
};

/// h2(p): bits it takes to say whether something of probability p is so.
double binary_entropy(double p);

/// units: those that were run, in order; change: the probability for each gap between them.
std::vector<Gap> gaps_of(const Line& line, const std::vector<int>& units, const Shifts& change);

/// Of a gap: a change worth finding is looked for. Once it is narrowed down its size is estimated, never tested: a
/// notable change is held against none at all.
double probability(const Shifts& change, std::size_t gap, bool resolved);

/// How many statements of the answer are expected to be wrong: each resolved gap is said to hold a change where that is
/// the likelier thing, and each other gap is said to hold none.
double expected_error(const std::vector<Gap>& gaps);

/// Whether a change is likelier than not in a gap that is not narrowed down.
bool any_open(const std::vector<Gap>& gaps);

}  // namespace reg::search
