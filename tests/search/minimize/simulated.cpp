#include "tests/search/minimize/simulated.h"

#include <algorithm>
#include <cmath>

namespace reg::score {
namespace {

enum What : std::uint64_t { order, run_noise, outlier, outlier_size, breaks, small_effect };

std::uint64_t hash_of(const search::Subset& on) {
  std::uint64_t hash = 1;
  for (const std::uint8_t item : on) hash = mix(hash ^ (item + 1));
  return hash;
}

}  // namespace

Simulated::Simulated(const Items& items, std::uint64_t seed) : items_(items), draws_(seed) {
  std::vector<std::pair<double, int>> shuffled;
  for (int k = 0; k < items.n; ++k) shuffled.emplace_back(draws_.uniform(order, k, 0), k);
  std::sort(shuffled.begin(), shuffled.end());
  std::size_t next = 0;
  for (const int size : items.causes) {
    std::vector<int> cause;
    for (int k = 0; k < size; ++k) cause.push_back(shuffled[next++].second);
    std::sort(cause.begin(), cause.end());
    causes_.push_back(std::move(cause));
  }
  std::sort(causes_.begin(), causes_.end());
  for (int k = 0; k < items.breakers; ++k) breakers_.push_back(shuffled[next++].second);
  if (items.needs) {
    needing_ = shuffled[next++].second;
    needed_ = shuffled[next++].second;
  }
}

std::optional<double> Simulated::run(const search::Subset& on) {
  const auto is_on = [&on](int item) { return on[item] != 0; };
  const std::uint64_t subset = hash_of(on);
  const auto number = static_cast<std::uint64_t>(++runs_);
  const bool is_end = std::count(on.begin(), on.end(), on.front()) == static_cast<long>(on.size());
  if (!is_end && draws_.uniform(breaks, subset, 0) < items_.broken) return std::nullopt;
  if (items_.needs && is_on(needing_) && !is_on(needed_)) return std::nullopt;
  if (std::any_of(breakers_.begin(), breakers_.end(), is_on)) return std::nullopt;
  double level = 0;
  for (const std::vector<int>& cause : causes_)
    if (std::all_of(cause.begin(), cause.end(), is_on)) level += std::log1p(items_.effect);
  if (items_.pass_fail) return level > 0 ? 1 : 0;
  for (int k = 0; k < items_.n; ++k)
    if (is_on(k)) level += items_.small * (2 * draws_.uniform(small_effect, k, 0) - 1);
  level += items_.noise * draws_.normal(run_noise, subset, number);
  if (draws_.uniform(outlier, subset, number) < items_.outliers)
    level += 0.4 * draws_.uniform(outlier_size, subset, number);
  return 10 * std::exp(level);
}

std::vector<std::vector<int>> by_minimize(Simulated& simulated) {
  search::Puzzle puzzle{simulated.items().n};
  puzzle.pass_fail = simulated.items().pass_fail;
  puzzle.exact = simulated.items().noise == 0;
  search::Minimize minimize(puzzle);
  while (const auto request = minimize.ask()) {
    if (const auto value = simulated.run(request->on))
      minimize.tell(request->on, *value);
    else
      minimize.tell_failed(request->on, search::Failure::broken);
  }
  const search::Minimal answer = minimize.answer();
  std::vector<std::vector<int>> causes;
  if (answer.verdict == "found")
    for (const search::Culprit& culprit : answer.culprits) causes.push_back(culprit.items);
  std::sort(causes.begin(), causes.end());
  return causes;
}

}  // namespace reg::score
