#pragma once

#include "engine/search/policy.h"

namespace reg::search {

/// The smallest size, as the mathematics sees sizes, of which it can be said with 95 % confidence that no other lasting
/// change is that large; 0 where nothing can be said. `said`: of each gap, whether its change is in the answer.
struct Resolution {
  double size = 0;
  bool enough = true;  ///< whether that is what was asked for, or what the noise allows
};
Resolution resolution(const Evidence& evidence, const std::vector<bool>& said);

}  // namespace reg::search
