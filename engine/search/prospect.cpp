#include "engine/search/prospect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr double kRateNoise = 0.4;  // of one run of a flaky test around its rate
constexpr double kConvinced = 0.95;
constexpr double kConvincedOfBuilds = 0.9;
constexpr int kRunsToKnowNoise = 12;
constexpr int kRunsToKnowBuilds = 20;
constexpr int kRepeatsToKnowBuilds = 5;  // two or three that agree by chance make quiet runs of noisy ones
// With builds that scatter by this part of the effect, a step of just that effect is seen at the wrong place one time
// in five, however often each build is run.
constexpr double kBuildsHide = 0.6;
constexpr double kQuietRuns = 1.0 / 3;  // runs must be that quiet beside the effect, or it is their noise that hides it

// Runs for one level or change, as measured over noises of 0.1 to 2 effects (tests/search): the bits of its place and
// of its being there, each at the price of telling two levels apart.
double runs_each(const Evidence& evidence, double sigma) {
  const double ratio = sigma / worth_finding(evidence);
  return (std::log2(evidence.line.units()) + 6) * std::max(1.0, 4.5 * ratio * ratio);
}

int changes_likely(const Evidence& evidence) {
  double sum = 0;
  for (const Gap& gap : evidence.gaps) sum += gap.p;
  return static_cast<int>(std::lround(sum));
}

long repeated_units(const Evidence& evidence) {
  return std::count_if(evidence.samples.begin(), evidence.samples.end(),
                       [](const auto& at) { return at.second.size() > 1; });
}

}  // namespace

Prospect prospect(const Evidence& evidence, int runs) {
  Prospect prospect;
  if (evidence.question.min_effect == 0 || evidence.question.kind != Kind::noisy || evidence.posterior == nullptr ||
      runs < kRunsToKnowNoise)
    return prospect;
  const double effect = worth_finding(evidence);
  const int levels = 1 + changes_likely(evidence);
  double too_noisy = 0;
  double builds_hide = 0;
  for (const Posterior::Noise& noise : evidence.posterior->noises()) {
    if (runs_each(evidence, noise.run) > evidence.question.budget) too_noisy += noise.weight;
    if (noise.build > kBuildsHide * effect && noise.run < kQuietRuns * effect) builds_hide += noise.weight;
  }
  const double percent = 100 * evidence.question.min_effect;
  if (builds_hide > kConvincedOfBuilds && repeated_units(evidence) < kRepeatsToKnowBuilds) {
    prospect.unsure = runs >= kRunsToKnowBuilds;
  } else if (builds_hide > kConvincedOfBuilds && runs >= kRunsToKnowBuilds) {
    prospect.hopeless = true;
    prospect.why = fmt::format(
        "builds differ by {:.2g} % for no reason of their own: the place of a {:.2g} % change cannot be told, "
        "however often each is run; ask for a larger min_effect",
        100 * evidence.posterior->likeliest().build, percent);
  } else if (too_noisy > kConvinced) {
    prospect.hopeless = true;
    prospect.runs_more =
        static_cast<int>(std::ceil(runs_each(evidence, evidence.posterior->likeliest().run) * levels)) - runs;
    prospect.why = fmt::format(
        "the noise is {:.2g} % a run, and {:.2g} % is asked for: about {} runs more would do, and the budget is {}",
        100 * evidence.posterior->likeliest().run, percent, prospect.runs_more, evidence.question.budget);
  }
  return prospect;
}

std::string open_end(const Evidence& evidence, int runs) {
  if (runs >= evidence.question.budget)
    return fmt::format("the budget of {} runs is spent; about {} more would do", runs,
                       runs_for_error(evidence, evidence.question.max_error));
  return fmt::format("at a noise of {:.2g} % per run, more runs would hardly help",
                     100 * evidence.posterior->likeliest().run);
}

int runs_for_error(const Evidence& evidence, double error) {
  const double now = std::max(expected_error(evidence.gaps), 1e-9);
  if (now <= error || evidence.posterior == nullptr) return 0;
  // Each run next to a change, or at an end, multiplies the odds against a mistake by the likelihood of two levels that
  // are min_effect apart, half of which the other side's own uncertainty takes back.
  const double effect = worth_finding(evidence);
  const bool flaky = evidence.question.kind == Kind::flaky;
  const double noise = flaky ? kRateNoise : std::max(evidence.posterior->likeliest().run, 1e-9);
  const double nats = std::min(effect * effect / (noise * noise) / 4, std::log(20.0));
  const int places = std::max(2, 2 * changes_likely(evidence));
  return static_cast<int>(std::ceil(places * std::max(1.0, std::log(now / error) / nats)));
}

}  // namespace reg::search
