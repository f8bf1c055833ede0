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

  const Items& items() const { return items_; }
  int runs() const { return runs_; }
  const std::vector<std::vector<int>>& causes() const { return causes_; }  ///< sorted

 private:
  Items items_;
  Draws draws_;
  std::vector<std::vector<int>> causes_;
  std::vector<int> breakers_;
  int needing_ = 0, needed_ = 0;
  int runs_ = 0;
};

/// The causes that engine/search/minimize finds, sorted.
std::vector<std::vector<int>> by_minimize(Simulated& simulated);

}  // namespace reg::score
