#pragma once

#include <optional>

#include "engine/search/policy.h"

namespace reg::search {

/// Located changes must add up to the difference of the two ends, as their own runs give it.
struct Sum {
  double found = 0;  ///< of the changes: from the first level to the last one
  double ends = 0;   ///< from the runs of the first unit to those of the last one
  double half = 0;   ///< of the 95 % interval of what is between the two

  bool agrees() const;
};

/// The first level ends with unit `first`, and the last one begins with `last`.
Sum sum_of(const Evidence& evidence, int first, int last);

/// The run to make where changes were found and do not explain all: where they do not add up to the difference of the
/// ends, or where the levels on both sides of a wide gap between them differ by more than their 95 % interval.
std::optional<Request> rest(const Evidence& evidence);

}  // namespace reg::search
