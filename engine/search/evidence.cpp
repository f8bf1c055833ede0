#include "engine/search/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/search/direct.h"

namespace reg::search {
namespace {

// What a change too small to be said counts against one that is said: next to nothing, so that nobody measures which of
// the two it is, but enough where it is certain.
constexpr double kTiny = 0.05;

// With builds that scatter by this part of the effect, a step of just that effect is seen at the wrong place one time
// in five, however often each build is run.
constexpr double kBuildsHide = 0.6;
constexpr double kQuietRuns = 1.0 / 3;  // runs must be that quiet beside the effect, or it is their noise that hides it
constexpr double kUntold = 2.1;         // parts of the noise: down to there a change of no named size is looked for
constexpr int kBase = 6;                // runs

constexpr double kMissed = 0.05;  // jumps of that size that are expected, and not said
// What was not looked for was not excluded, however unlikely the model thinks it is. Measured by planting steps of the
// size claimed in histories without a change (search_score --plant).
constexpr double kClaimed = 3.0;

constexpr double kRateNoise = 0.4;  // of one run of a flaky test around its rate
constexpr int kPair = 2;            // runs of both sides, one after the other

double noise_of(const Evidence& evidence) {
  return evidence.question.kind == Kind::flaky ? kRateNoise : evidence.noise.run;
}

// About how many runs it takes to tell two levels apart that are `effect` apart.
double runs_to_tell(double effect, double noise) { return std::max(1.0, 4.5 * std::pow(noise / effect, 2)); }

}  // namespace

double sought(const Evidence& evidence) {
  const Wanted wanted = wanted_of(evidence);
  const double exclude = evidence.scale.inward_effect(evidence.question.exclude);
  if (wanted.told) return wanted.effect;
  if (evidence.question.min_effect == 0 && exclude > 0) return exclude;
  return std::max(wanted.effect, kClaimed * std::hypot(evidence.stated.run, evidence.stated.build));
}

Gap gap_of(const Line& line, int lo, int hi) { return {lo, hi, 0, line.untested(lo, hi), line.bits(lo, hi)}; }

double probability(const Shifts& change, std::size_t gap, bool resolved) {
  if (!resolved) return change.large[gap];
  const double notable = change.notable[gap];
  const double rest = 1 - change.any[gap] + kTiny * (change.any[gap] - notable);
  return notable > 0 ? notable / (notable + rest) : 0;
}

double expected_error(const std::vector<Gap>& gaps) {
  double error = 0;
  for (const Gap& gap : gaps) error += gap.resolved() && gap.likely() ? 1 - gap.p : gap.p;
  return error;
}

bool any_open(const std::vector<Gap>& gaps) {
  return std::any_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.likely() && !gap.resolved(); });
}

Level level_of(const Evidence& evidence, int first, int last, const Noise& noise) {
  const auto begin = evidence.samples.lower_bound(first);
  const auto end = evidence.samples.upper_bound(last);
  std::vector<double> all;
  for (auto it = begin; it != end; ++it) all.insert(all.end(), it->second.begin(), it->second.end());
  if (all.empty()) return {};
  if (evidence.question.kind == Kind::flaky) {
    const double n = static_cast<double>(all.size());
    const double rate = std::accumulate(all.begin(), all.end(), 0.0) / n;
    const double seen = (rate * n + 2) / (n + 4);  // Agresti and Coull's, which stays inside (0, 1)
    return {rate, seen * (1 - seen) / (n + 4), all.size()};
  }
  const double centre = median(all);
  if (evidence.question.kind == Kind::exact) return {centre, 0, all.size()};
  const double inlier = 4 * std::hypot(noise.run, noise.build);
  double weights = 0;
  double sum = 0;
  for (auto it = begin; it != end; ++it) {
    double total = 0;
    int kept = 0;
    for (const double y : it->second)
      if (std::fabs(y - centre) <= inlier) total += y, ++kept;
    if (kept == 0) continue;
    const double weight = 1 / (noise.build * noise.build + noise.run * noise.run / kept);
    weights += weight;
    sum += weight * total / kept;
  }
  return weights > 0 ? Level{sum / weights, 1 / weights, all.size()} : Level{centre, noise.run * noise.run, all.size()};
}

Sum sum_of(const Evidence& evidence, int first, int last) {
  const Level low = level_of(evidence, evidence.first(), first);
  const Level high = level_of(evidence, last, evidence.last());
  const Level first_end = level_of(evidence, evidence.first(), evidence.first());
  const Level last_end = level_of(evidence, evidence.last(), evidence.last());
  // An end is part of its level, which has the smaller variance.
  const double variance =
      std::max(0.0, first_end.variance - low.variance) + std::max(0.0, last_end.variance - high.variance);
  return {high.mean - low.mean, last_end.mean - first_end.mean, std::max(kBuilds, kNormal95 * std::sqrt(variance))};
}

Wanted wanted_effect(const Question& question, const Scale& scale, double run, double build) {
  const double named = scale.inward_effect(question.min_effect);
  const double exclude = scale.inward_effect(question.exclude);
  const double allowed = std::max(kUntold * std::hypot(run, build), kLeastEffect);
  const double size = named > 0 ? named : exclude;
  if (question.kind != Kind::noisy) return {size, true};
  if (size <= 0) return {allowed, false};
  // As measured over noises of 0.1 to 2 effects (tests/search): the bits of a level's place and of its being there,
  // each at the price of telling two levels apart.
  const bool too_noisy = (std::log2(question.n) + kBase) * runs_to_tell(size, run) > question.budget;
  const bool builds_hide = build > kBuildsHide * size && run < kQuietRuns * size;
  if ((too_noisy || builds_hide) && allowed > size) return {allowed, false};
  return named > 0 ? Wanted{named, true} : Wanted{std::min(allowed, exclude), false};
}

Wanted wanted_of(const Evidence& evidence) {
  return wanted_effect(evidence.question, evidence.scale, evidence.noise.run, evidence.noise.build);
}

double claim_of(const Evidence& evidence) {
  return evidence.scale.inward_effect(evidence.question.min_effect > 0 ? evidence.question.min_effect : kClaim);
}

Resolution resolution(const Evidence& evidence, const std::vector<bool>& said) {
  if (!evidence.noisy()) return {};
  if (evidence.direct != nullptr) {
    const double size = evidence.direct->resolution();
    return {size, claim_of(evidence), size <= claim_of(evidence)};
  }
  const double claimed = sought(evidence);
  const std::vector<double> jumps = evidence.posterior->jumps(claimed);
  double missed = 0;
  for (std::size_t k = 0; k < said.size(); ++k) missed += said[k] ? 0 : jumps[k];
  const bool enough = missed <= kMissed;
  return {enough ? claimed : 0, claimed, enough};
}

int runs_to_exclude(double effect, double noise) {
  return static_cast<int>(std::ceil(kBase + 48 * std::pow(noise / effect, 2)));
}

int runs_to_name(const Evidence& evidence, int lo, int hi, double size) {
  const double bits = std::ceil(std::log2(std::max(2, hi - lo)));
  const double each = runs_to_tell(std::max(std::fabs(size), 1e-9), noise_of(evidence));
  return static_cast<int>(std::ceil(bits * each)) + (evidence.noisy() ? kPair : 0);
}

bool would_help(const Evidence& evidence, bool goes_on) {
  return goes_on || evidence.runs >= evidence.question.budget || evidence.question.kind == Kind::exact;
}

std::string open_end(const Evidence& evidence, bool goes_on) {
  const int budget = evidence.question.budget;
  if (evidence.runs >= budget) return fmt::format("the budget of {} runs is spent", budget);
  if (would_help(evidence, goes_on)) return "the search goes on";
  return fmt::format("at a noise of {:.2g} % per run, more runs would hardly help", 100 * evidence.noise.run);
}

}  // namespace reg::search
