#include "tests/search/score.h"

#include <algorithm>
#include <cmath>

namespace reg::score {

Outcome judge(const History& history, const Played& played) {
  Outcome outcome;
  outcome.runs = history.runs();
  outcome.rounds = played.rounds;
  outcome.unresolved = played.unresolved;
  std::vector<Truth> left = history.truth();
  for (const Said& said : played.said) {
    const auto hit =
        std::find_if(left.begin(), left.end(), [&](const Truth& t) { return t.lo == said.lo && t.hi == said.hi; });
    const bool right = hit != left.end();
    if (right) left.erase(hit);
    outcome.wrong += right ? 0 : 1;
    if (said.p < 0.95) continue;
    ++outcome.claims;
    outcome.claims_true += right ? 1 : 0;
  }
  outcome.exact = left.empty() && outcome.wrong == 0;
  return outcome;
}

Score sum_up(const std::vector<Outcome>& outcomes) {
  Score score;
  score.histories = static_cast<int>(outcomes.size());
  if (outcomes.empty()) return score;
  std::vector<int> runs;
  for (const Outcome& outcome : outcomes) {
    runs.push_back(outcome.runs);
    score.runs += outcome.runs;
    score.rounds += outcome.rounds;
    score.wrong += outcome.wrong;
    score.exact += outcome.exact ? 1 : 0;
    score.unresolved += outcome.unresolved ? 1 : 0;
    score.claims += outcome.claims;
    score.claims_true += outcome.claims_true;
  }
  score.runs /= score.histories;
  score.rounds /= score.histories;
  score.wrong /= score.histories;
  std::sort(runs.begin(), runs.end());
  score.runs_95 = runs[static_cast<std::size_t>(0.95 * (score.histories - 1))];
  score.runs_most = runs.back();
  return score;
}

Interval wilson(int hits, int of) {
  if (of == 0) return {};
  constexpr double z = 1.96;
  const double n = of;
  const double rate = hits / n;
  const double centre = (rate + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(rate * (1 - rate) / n + z * z / (4 * n * n));
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace reg::score
