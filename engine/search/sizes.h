#pragma once

#include <string>

#include "engine/search/evidence.h"

// The sizes of changes: which are looked for, which were excluded, and about how many runs others would take.

namespace reg::search {

/// Builds of the same program differ by that much, as the speed of code depends on where it lies.
constexpr double kBuilds = 0.003;
/// Changes below 0.3 % are only looked for where somebody asks for less: the logarithm of 1.003.
constexpr double kLeastEffect = 0.0029955;
constexpr double kClaim = 0.1;  ///< who reads "no change" takes it for less than that

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

/// The same under the likeliest noise.
Wanted wanted_of(const Evidence& evidence);

/// The largest size that "no change" may leave open: --min-effect, or 10 %.
double claim_of(const Evidence& evidence);

struct Resolution {
  double size = 0;     ///< as the mathematics sees sizes; 0 where nothing can be said
  double wanted = 0;   ///< what was asked for, or what the noise allows
  bool enough = true;  ///< whether it is as small as that
};

/// The smallest size of which it can be said with 95 % confidence that no other lasting change is that large. `said`:
/// of each gap, whether its change is in the answer.
Resolution resolution(const Evidence& evidence, const std::vector<bool>& said);

/// About how many runs it takes to exclude a lasting change of `effect` where nothing changed.
int runs_to_exclude(double effect, double noise);
/// About how many runs more it would take to name the unit in (lo, hi] that a change of `size` came with.
int runs_to_name(const Evidence& evidence, int lo, int hi, double size);
/// About how many runs more would bring the expected error down to `error`.
int runs_for_error(const Evidence& evidence, double error);

/// Why the search ended although more could be known, in one sentence without its end; or that it did not end.
std::string open_end(const Evidence& evidence, bool goes_on);

}  // namespace reg::search
