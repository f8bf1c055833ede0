#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/search/history.h"
#include "tests/search/player.h"

namespace reg::score {

/// git bisect as it is run by hand on a number: the median of `repeats` runs against the middle between both ends'. It
/// skips what gives no number, and says nothing where the ends are alike.
Played play_bisect(History& history, int repeats);

/// Every place once, then all changes at once: the levels and jumps with the smallest sum of squares, a run counting
/// for at most four standard deviations, where a jump costs what noise makes one of in a thousand histories.
Played play_sweep(History& history);

/// Bayesian bisection of a flaky test: one change, any failure rates on its two sides; runs the place that is expected
/// to tell most, until one place is 95 % likely. It knows no builds that are broken or shared.
Played play_bayes(History& history);

struct Rival {
  std::string name;
  std::function<Played(History&)> play;
};

/// Those that make sense for that kind of number.
std::vector<Rival> rivals_of(search::Kind kind);

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
