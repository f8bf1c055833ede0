#pragma once

#include "engine/search/search.h"

namespace reg::search {

/// The size of the changes that are looked for, as the mathematics sees sizes.
struct Wanted {
  double effect = 0;
  bool told = false;  ///< whether it is the one that the question names
};

/// Under a noise from run to run and from build to build. Without a smallest effect in the question, and where the
/// noise puts that out of the budget's reach, it is what the noise allows: an answer about larger changes is worth more
/// than none. `named`: the question's effect, as the mathematics sees it; 0 = none. `exclude`: the same of what "no
/// change" must exclude, which is looked for where that is smaller and within reach.
Wanted wanted_effect(const Question& question, double named, double exclude, double run, double build);

/// About how many runs it takes to exclude a lasting change of `effect` where nothing changed.
int runs_to_exclude(double effect, double noise);

/// About how many it takes to tell two levels apart that are `effect` apart.
double runs_to_tell(double effect, double noise);

}  // namespace reg::search
