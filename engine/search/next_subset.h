#pragma once

#include <set>

#include "engine/search/breakage.h"
#include "engine/search/culprits.h"

namespace reg::search {

/// What the next run is chosen by.
struct SubsetEvidence {
  const Subset& all;  ///< items that may be on
  const std::vector<Weighed>& explanations;
  double noise = 0;
  const Breakage& breakage;
  const std::set<Subset>& tried;  ///< each is run once
};

struct SubsetChoice {
  Subset on;
  double bits = 0;  ///< that its number is expected to tell; 0 where none tells anything
};

/// The subset whose number is expected to tell most about which explanation is right: of some balanced ones, made
/// better item by item. Deterministic.
SubsetChoice next_subset(const SubsetEvidence& evidence);

}  // namespace reg::search
