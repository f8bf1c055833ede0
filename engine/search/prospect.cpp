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
double runs_each(const Known& known, double sigma) {
  const double ratio = sigma / known.scale.inward_effect(known.question.min_effect);
  return (std::log2(known.line.units()) + 6) * std::max(1.0, 4.5 * ratio * ratio);
}

int changes_likely(const Known& known) {
  double sum = 0;
  for (const Gap& gap : known.gaps) sum += gap.p;
  return static_cast<int>(std::lround(sum));
}

long repeated_units(const Known& known) {
  return std::count_if(known.samples.begin(), known.samples.end(), [](const auto& at) { return at.second.size() > 1; });
}

}  // namespace

Prospect prospect(const Known& known, int runs) {
  Prospect prospect;
  if (known.question.kind != Kind::noisy || known.posterior == nullptr || runs < kRunsToKnowNoise) return prospect;
  const double effect = known.scale.inward_effect(known.question.min_effect);
  const int levels = 1 + changes_likely(known);
  double too_noisy = 0;
  double builds_hide = 0;
  for (const Posterior::Noise& noise : known.posterior->noises()) {
    if (runs_each(known, noise.run) > known.question.budget) too_noisy += noise.weight;
    if (noise.build > kBuildsHide * effect && noise.run < kQuietRuns * effect) builds_hide += noise.weight;
  }
  const double percent = 100 * known.question.min_effect;
  if (builds_hide > kConvincedOfBuilds && repeated_units(known) < kRepeatsToKnowBuilds) {
    prospect.unsure = runs >= kRunsToKnowBuilds;
  } else if (builds_hide > kConvincedOfBuilds && runs >= kRunsToKnowBuilds) {
    prospect.hopeless = true;
    prospect.why = fmt::format(
        "builds differ by {:.2g} % for no reason of their own: the place of a {:.2g} % change cannot be told, "
        "however often each is run; ask for a larger min_effect",
        100 * known.posterior->likeliest().build, percent);
  } else if (too_noisy > kConvinced) {
    prospect.hopeless = true;
    prospect.runs_more =
        static_cast<int>(std::ceil(runs_each(known, known.posterior->likeliest().run) * levels)) - runs;
    prospect.why = fmt::format(
        "the noise is {:.2g} % a run, and {:.2g} % is asked for: about {} runs more would do, and the budget is {}",
        100 * known.posterior->likeliest().run, percent, prospect.runs_more, known.question.budget);
  }
  return prospect;
}

std::string open_end(const Known& known, int runs) {
  const double error = expected_error(known.gaps);
  if (runs >= known.question.budget)
    return fmt::format("the budget of {} runs is spent; about {} more would do", runs,
                       runs_for_error(known, known.question.max_error));
  return fmt::format("more runs would tell next to nothing: {:.2g} wrong statements are expected, and {:.2g} allowed",
                     error, known.question.max_error);
}

int runs_for_error(const Known& known, double error) {
  const double now = std::max(expected_error(known.gaps), 1e-9);
  if (now <= error || known.posterior == nullptr) return 0;
  // Each run next to a change, or at an end, multiplies the odds against a mistake by the likelihood of two levels that
  // are min_effect apart, half of which the other side's own uncertainty takes back.
  const double effect = known.scale.inward_effect(known.question.min_effect);
  const bool flaky = known.question.kind == Kind::flaky;
  const double noise = flaky ? kRateNoise : std::max(known.posterior->likeliest().run, 1e-9);
  const double nats = std::min(effect * effect / (noise * noise) / 4, std::log(20.0));
  const int places = std::max(2, 2 * changes_likely(known));
  return static_cast<int>(std::ceil(places * std::max(1.0, std::log(now / error) / nats)));
}

}  // namespace reg::search
