#include "tests/search/score.h"

#include <algorithm>
#include <cmath>

namespace reg::score {

namespace {

bool covered(const Truth& truth, const Played& played) {
  return std::any_of(played.said.begin(), played.said.end(),
                     [&](const Said& said) { return said.lo < truth.hi && truth.lo < said.hi; });
}

bool covers_one(const History& history, const Said& said) {
  return std::any_of(history.truth().begin(), history.truth().end(),
                     [&](const Truth& truth) { return said.lo <= truth.lo && truth.hi <= said.hi; });
}

// Whether the 95 % interval of the size holds the true one, up or down.
bool holds(const Said& said, double size) {
  const auto [low, high] = std::minmax({std::fabs(std::log1p(said.low)), std::fabs(std::log1p(said.high))});
  const double least = said.low < 0 && said.high > 0 ? 0 : low;
  return least <= size && size <= high;
}

}  // namespace

bool covers_all(const History& history, const Played& played) {
  return std::all_of(history.truth().begin(), history.truth().end(),
                     [&](const Truth& truth) { return covered(truth, played); });
}

Outcome judge(const History& history, const Played& played) {
  Outcome outcome;
  outcome.runs = history.runs();
  outcome.rounds = played.rounds;
  outcome.unresolved = played.unresolved;
  outcome.no_change = played.no_change;
  std::vector<Truth> left = history.truth();
  for (const Said& said : played.said) {
    const auto hit =
        std::find_if(left.begin(), left.end(), [&](const Truth& t) { return t.lo == said.lo && t.hi == said.hi; });
    // What was not narrowed down is true if it holds a change, and names none.
    const bool right = said.open ? covers_one(history, said) : hit != left.end();
    if (hit != left.end()) {
      if (hit->size > 0 && (said.low != 0 || said.high != 0)) {
        ++outcome.sizes;
        outcome.sizes_held += holds(said, hit->size) ? 1 : 0;
      }
      left.erase(hit);
    }
    outcome.wrong += right ? 0 : 1;
    if (said.p < 0.95) continue;
    ++outcome.claims;
    outcome.claims_true += right ? 1 : 0;
  }
  const bool missed = std::any_of(left.begin(), left.end(), [](const Truth& truth) { return truth.needed; });
  outcome.exact = !missed && outcome.wrong == 0;
  if (played.unresolved || played.resolution <= 0 || history.noise() <= 0) return outcome;
  outcome.resolution = played.resolution / history.noise();
  outcome.nothing_found = played.said.empty();
  for (const Truth& truth : history.truth())
    outcome.untrue = outcome.untrue || (truth.size >= std::log1p(played.resolution) && !covered(truth, played));
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
    score.no_change += outcome.no_change ? 1 : 0;
    score.untrue += outcome.untrue ? 1 : 0;
    score.nothing_found += outcome.nothing_found ? 1 : 0;
    score.planted_covered += outcome.planted_covered ? 1 : 0;
    if (outcome.resolution > 0) score.resolution += outcome.resolution, ++score.resolutions;
    score.sizes += outcome.sizes;
    score.sizes_held += outcome.sizes_held;
    score.claims += outcome.claims;
    score.claims_true += outcome.claims_true;
  }
  score.runs /= score.histories;
  score.rounds /= score.histories;
  score.wrong /= score.histories;
  score.resolution /= std::max(1, score.resolutions);
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
