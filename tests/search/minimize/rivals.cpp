#include <algorithm>
#include <cmath>

#include "tests/search/minimize/simulated.h"

namespace reg::score {
namespace {

constexpr int kRepeats = 3;

// The mean of three runs as a logarithm; none where it cannot be run.
std::optional<double> measured(Simulated& simulated, const search::Subset& on) {
  double sum = 0;
  const int repeats = simulated.pass_fail() || simulated.noise() == 0 ? 1 : kRepeats;
  for (int k = 0; k < repeats; ++k) {
    const auto value = simulated.run(on);
    if (!value) return std::nullopt;
    sum += simulated.pass_fail() ? *value : std::log(*value);
  }
  return sum / repeats;
}

search::Subset subset_of(int n, const std::vector<int>& items) {
  search::Subset on(static_cast<std::size_t>(n));
  for (const int item : items) on[static_cast<std::size_t>(item)] = 1;
  return on;
}

std::vector<int> without(const std::vector<int>& all, const std::vector<int>& part) {
  std::vector<int> rest;
  std::set_difference(all.begin(), all.end(), part.begin(), part.end(), std::back_inserter(rest));
  return rest;
}

// Items of a set, as the causes that are asked for: which belong together, neither rival says.
std::vector<std::vector<int>> as_causes(const Simulated& simulated, const std::vector<int>& items) {
  std::vector<int> wanted;
  for (const std::vector<int>& cause : simulated.causes()) wanted.insert(wanted.end(), cause.begin(), cause.end());
  std::sort(wanted.begin(), wanted.end());
  return wanted == items ? simulated.causes() : std::vector<std::vector<int>>{items};
}

// Half of a single cause's effect, which the rivals are told.
double half_effect(const Simulated& simulated) {
  return simulated.pass_fail() ? 0.5 : std::log1p(simulated.least_effect()) / 2;
}

}  // namespace

// Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002. A set fails where it carries all of
// the effect but at most half of a single cause's. What cannot be run is unresolved.
Found by_ddmin(Simulated& simulated) {
  std::vector<int> items;
  for (int k = 0; k < simulated.n(); ++k) items.push_back(k);
  measured(simulated, subset_of(simulated.n(), {}));
  const auto all = measured(simulated, subset_of(simulated.n(), items));
  const auto fails = [&](const std::vector<int>& part) {
    const auto level = measured(simulated, subset_of(simulated.n(), part));
    return level && *level > *all - half_effect(simulated);
  };
  std::size_t parts = 2;
  while (all && items.size() >= 2) {
    std::vector<int> smaller;
    bool complement = false;
    for (const bool of_complements : {false, true}) {
      for (std::size_t k = 0; k < parts && smaller.empty(); ++k) {
        const auto at = [&](std::size_t part) {
          return items.begin() + static_cast<long>(items.size() * part / parts);
        };
        const std::vector<int> part(at(k), at(k + 1));
        if (of_complements && parts == 2) continue;  // each is the other one's
        const std::vector<int> tried = of_complements ? without(items, part) : part;
        if (fails(tried)) smaller = tried;
        complement = of_complements;
      }
    }
    if (!smaller.empty()) {
      items = smaller;
      parts = std::min(complement ? std::max<std::size_t>(parts - 1, 2) : 2, items.size());
    } else if (parts < items.size()) {
      parts = std::min(2 * parts, items.size());
    } else {
      break;
    }
  }
  return {as_causes(simulated, items), simulated.runs(), 1};
}

// All items but one: which one is missed?
Found one_by_one(Simulated& simulated) {
  std::vector<int> items;
  for (int k = 0; k < simulated.n(); ++k) items.push_back(k);
  measured(simulated, subset_of(simulated.n(), {}));
  const auto all = measured(simulated, subset_of(simulated.n(), items));
  std::vector<int> missed;
  for (const int item : items) {
    const auto level = measured(simulated, subset_of(simulated.n(), without(items, {item})));
    if (all && level && *level < *all - half_effect(simulated)) missed.push_back(item);
  }
  return {as_causes(simulated, missed), simulated.runs(), 1};
}

}  // namespace reg::score
