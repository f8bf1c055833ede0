#pragma once

#include "engine/search/policy.h"

namespace reg::search {

/// The size from which on changes are looked for until none is left in doubt: what was asked for, or what the noise
/// allows. Of a noisy question.
double sought(const Evidence& evidence);

constexpr double kClaim = 0.1;  ///< who reads "no change" takes it for less than that

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

}  // namespace reg::search
