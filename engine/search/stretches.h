#pragma once

#include <cstddef>
#include <vector>

#include "engine/search/policy.h"

namespace reg::search {

/// Neighboring gaps that hold a change with the confidence that a statement needs: one gap, or several where the
/// numbers do not say in which of them it is.
struct Stretch {
  std::size_t first = 0, last = 0;  ///< gaps
  double p = 0;                     ///< probability of a change in there
  bool open = false;                ///< there is more than one unit that it may have come with, and they could be run
};

/// The stretches of the answer, each as short as it can be, in order.
std::vector<Stretch> stretches_of(const Evidence& evidence);

}  // namespace reg::search
