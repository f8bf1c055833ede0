#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/search/minimize.h"
#include "tests/search/draws.h"

namespace reg::score {

/// What is simulated: n items, culprits that slow a run down, noise, and subsets that cannot be run.
struct Items {
  std::string name;
  int n = 40;
  std::vector<int> causes = {1};  ///< how many items each of them takes
  double effect = 0.03;           ///< of each cause
  double small = 0;               ///< each other item's, in either direction, at most
  double noise = 0.01;
  double outliers = 0;  ///< share of runs that take up to 1.5 times as long
  double broken = 0;    ///< share of subsets that cannot be run
  bool needs = false;   ///< an item cannot be run without another one
  int breakers = 0;     ///< items that cannot be run at all
  bool pass_fail = false;
  double goal_runs = 0;
  double goal_right = 0.97;
};

/// One draw of it. A subset's k-th run gives the same number to whoever asks.
class Simulated {
 public:
  Simulated(const Items& items, std::uint64_t seed);

  /// None: it cannot be run.
  std::optional<double> run(const search::Subset& on);

  int n() const { return items_.n; }
  int runs() const { return runs_; }
  double noise() const { return items_.noise; }
  double least_effect() const { return items_.effect; }
  bool pass_fail() const { return items_.pass_fail; }
  const std::vector<std::vector<int>>& causes() const { return causes_; }  ///< sorted

 private:
  Items items_;
  Draws draws_;
  std::vector<std::vector<int>> causes_;
  std::vector<int> breakers_;
  int needing_ = 0, needed_ = 0;
  int runs_ = 0;
};

/// What a strategy found, sorted; the causes as far as it tells them apart, and all their items.
struct Found {
  std::vector<std::vector<int>> causes;
  int runs = 0;
  double p = 0;
};

Found by_minimize(Simulated& simulated);
Found by_ddmin(Simulated& simulated);
Found one_by_one(Simulated& simulated);

}  // namespace reg::score
