#pragma once

#include <set>
#include <vector>

#include "engine/search/culprits.h"

namespace reg::search {

/// How likely a subset cannot be run. What breaks subsets is one item, one that needs another one, or chance.
class Breakage {
 public:
  explicit Breakage(int n);

  void add(const Subset& on, bool broken);
  double chance(const Subset& on) const;

 private:
  struct Cause {
    int item = 0, without = 0;  // the item without the other one; both the same: the item alone
    double weight = 0;
    bool breaks(const Subset& on) const;
  };
  int broken_ = 0, runs_ = 0;
  double by_chance_ = 1;       // weight of chance alone
  std::vector<Cause> causes_;  // those that nothing speaks against
};

/// What the next run is chosen by.
struct SubsetEvidence {
  const Subset& all;  ///< items that may be on
  const std::vector<Weighed>& explanations;
  double noise = 0;
  const Breakage& breakage;
  const std::set<Subset>& tried;      ///< each is run once
  const std::vector<Subset>& checks;  ///< those that are wanted anyway, and preferred where they tell nearly as much
};

struct SubsetChoice {
  Subset on;
  double bits = 0;  ///< that its number is expected to tell; 0 where none tells anything
};

/// The subset whose number is expected to tell most about which explanation is right: of some balanced ones, made
/// better item by item. Deterministic.
SubsetChoice next_subset(const SubsetEvidence& evidence);

}  // namespace reg::search
