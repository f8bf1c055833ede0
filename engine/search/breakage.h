#pragma once

#include <vector>

#include "engine/search/culprits.h"

namespace reg::search {

/// How likely a subset cannot be run. What breaks subsets is one item, one that needs another one, or chance.
class Breakage {
 public:
  explicit Breakage(int n);

  void add(const Subset& on, bool broken);

  double chance(const Subset& on) const;
  bool seen_any() const { return broken_ > 0; }

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

}  // namespace reg::search
