#include <cmath>
#include <cstdlib>
#include <optional>

#include "tests/search/rivals.h"

namespace reg::score {
namespace {

std::optional<double> measure(History& history, int place, int repeats) {
  std::vector<double> values;
  for (int k = 0; k < repeats; ++k) {
    const History::Result result = history.run(place);
    if (result.status == History::Result::build_failed) return std::nullopt;
    if (result.status == History::Result::ok) values.push_back(inward(history.question(), result.value));
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

// The untried unit next to the middle of (lo, hi); lo where there is none.
int next_unit(const std::vector<bool>& skipped, int lo, int hi) {
  const int middle = lo + (hi - lo) / 2;
  int best = lo;
  for (int u = lo + 1; u < hi; ++u) {
    if (skipped[static_cast<std::size_t>(u)]) continue;
    if (best == lo || std::abs(u - middle) < std::abs(best - middle)) best = u;
  }
  return best;
}

}  // namespace

Played play_bisect(History& history, int repeats) {
  const std::vector<Unit> units = units_of(history.question());
  const auto first_place = [&](int unit) { return units[static_cast<std::size_t>(unit)].first; };
  int lo = 0;
  int hi = static_cast<int>(units.size()) - 1;
  const std::optional<double> old_level = measure(history, first_place(lo), repeats);
  const std::optional<double> new_level = measure(history, first_place(hi), repeats);
  if (!old_level || !new_level || std::fabs(*new_level - *old_level) < inward_effect(history.question())) return {};
  const double middle = (*old_level + *new_level) / 2;
  std::vector<bool> skipped(units.size(), false);
  for (int u = next_unit(skipped, lo, hi); u != lo; u = next_unit(skipped, lo, hi)) {
    const std::optional<double> level = measure(history, first_place(u), repeats);
    if (!level)
      skipped[static_cast<std::size_t>(u)] = true;
    else if ((*level > middle) == (*new_level > middle))
      hi = u;
    else
      lo = u;
  }
  Played played;
  played.said.push_back({units[static_cast<std::size_t>(lo)].last, first_place(hi), 1});
  return played;
}

}  // namespace reg::score
