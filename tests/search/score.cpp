#include "tests/search/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace reg::score {
namespace {

bool covered(const Truth& truth, const Played& played) {
  return std::any_of(played.said.begin(), played.said.end(),
                     [&](const Said& said) { return said.lo < truth.hi && truth.lo < said.hi; });
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

Score judge(const History& history, const Played& played) {
  Score score;
  score.runs = {history.runs()};
  score.rounds = played.rounds;
  score.unresolved = played.unresolved;
  score.no_change = played.no_change;
  std::vector<Truth> left = history.truth();
  for (const Said& said : played.said) {
    const auto hit =
        std::find_if(left.begin(), left.end(), [&](const Truth& t) { return t.lo == said.lo && t.hi == said.hi; });
    // What was not narrowed down is true if it holds a change, and names none.
    const bool right = said.open ? std::any_of(history.truth().begin(), history.truth().end(),
                                               [&](const Truth& t) { return said.lo <= t.lo && t.hi <= said.hi; })
                                 : hit != left.end();
    if (hit != left.end()) {
      if (hit->size > 0 && (said.low != 0 || said.high != 0)) {
        ++score.sizes;
        score.sizes_held += holds(said, hit->size);
      }
      left.erase(hit);
    }
    score.wrong += !right;
    score.claims += said.p >= 0.95;
    score.claims_true += said.p >= 0.95 && right;
  }
  const bool missed = std::any_of(left.begin(), left.end(), [](const Truth& truth) { return truth.needed; });
  score.exact = !missed && score.wrong == 0;
  if (played.unresolved || played.resolution <= 0 || history.noise() <= 0) return score;
  score.resolutions = 1;
  score.resolution = played.resolution / history.noise();
  score.nothing_found = played.said.empty();
  score.untrue = std::any_of(history.truth().begin(), history.truth().end(), [&](const Truth& truth) {
    return truth.size >= std::log1p(played.resolution) && !covered(truth, played);
  });
  return score;
}

Score& Score::operator+=(const Score& other) {
  runs.insert(runs.end(), other.runs.begin(), other.runs.end());
  resolution += other.resolution;
  for (int Score::*count : {&Score::rounds, &Score::exact, &Score::wrong, &Score::claims, &Score::claims_true,
                            &Score::sizes, &Score::sizes_held, &Score::unresolved, &Score::no_change,
                            &Score::resolutions, &Score::untrue, &Score::nothing_found, &Score::planted_covered})
    this->*count += other.*count;
  return *this;
}

double Score::runs_on_average() const { return std::accumulate(runs.begin(), runs.end(), 0.0) / histories(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
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

void print_head() {
  fmt::print("{:<32}{:>5}{:>8}{:>6}{:>6}{:>8}  {:<18}{:>7}{:>7}{:>7}{:>11}{:>11}{:>8}{:>8}{:>10}\n", "", "n", "runs",
             "95 %", "most", "rounds", "exact", "false", "unres.", "none", "p >= .95", "size", "res/sd", "untrue",
             "planted");
}

void print_row(const std::string& name, const Score& score) {
  const double n = score.histories();
  std::vector<int> runs = score.runs;
  std::sort(runs.begin(), runs.end());
  const Interval interval = wilson(score.exact, score.histories());
  const auto part = [](int some, int all) { return all > 0 ? fmt::format("{}/{}", some, all) : "-"; };
  fmt::print("{:<32}{:>5}{:>8.1f}{:>6}{:>6}{:>8}  {:<18}{:>7.3f}{:>7.2f}{:>7.2f}{:>11}{:>11}{:>8}{:>8.3f}{:>10}\n",
             name, score.histories(), score.runs_on_average(), runs[0.95 * (n - 1)], runs.back(),
             score.rounds > 0 ? fmt::format("{:.1f}", score.rounds / n) : "-",
             fmt::format("{:.3f} {:.3f}-{:.3f}", score.exact / n, interval.low, interval.high), score.wrong / n,
             score.unresolved / n, score.no_change / n, part(score.claims_true, score.claims),
             part(score.sizes_held, score.sizes),
             score.resolutions > 0 ? fmt::format("{:.2f}", score.resolution / score.resolutions) : "-",
             score.untrue / n, part(score.planted_covered, score.planted_covered > 0 ? score.nothing_found : 0));
  std::fflush(stdout);
}

}  // namespace reg::score
