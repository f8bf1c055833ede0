#pragma once

#include <vector>

#include "tests/search/history.h"
#include "tests/search/player.h"

namespace reg::score {

/// git bisect as it is run by hand on a number: the median of `repeats` runs against the middle between both ends'. It
/// skips what gives no number, and says nothing where the ends are alike.
Played play_bisect(History& history, int repeats);

/// Places that are one build.
struct Unit {
  int first = 0, last = 0;
};
std::vector<Unit> units_of(const search::Question& question);

/// As changes are counted: a metric's logarithm, and its smallest change in that.
double inward(const search::Question& question, double value);
double inward_effect(const search::Question& question);

double median(std::vector<double> values);

}  // namespace reg::score
