#pragma once

#include <vector>

#include "engine/search/line.h"
#include "engine/search/search.h"

namespace reg::search {

/// The evenly spaced units that are run before anything is known, both ends first and alone: a mistake shows there. One
/// that fails is replaced by a unit near it once the others were run; after a few such failures it is given up, so that
/// a test which always fails is not tried everywhere.
class FirstLook {
 public:
  FirstLook(const Question& question, const Line& line);

  int size() const { return static_cast<int>(targets_.size()); }
  /// At most `count` units to run now; empty once every target was run or given up.
  std::vector<Request> next(const Line& line, int count);

 private:
  struct Target {
    int unit = 0;
    int tries = 0;
    bool done = false;
  };
  int replacement(const Line& line, const Target& target) const;
  void settle(const Line& line);

  std::vector<Target> targets_;
  std::vector<std::size_t> order_;  // of asking for them
};

}  // namespace reg::search
