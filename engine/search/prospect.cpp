#include "engine/search/prospect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr double kRateNoise = 0.4;  // of one run of a flaky test around its rate
constexpr int kPair = 2;            // runs of both sides, one after the other

double noise_of(const Evidence& evidence) {
  if (evidence.question.kind == Kind::flaky) return kRateNoise;
  return evidence.noise.run;
}

int changes_likely(const Evidence& evidence) {
  double sum = 0;
  for (const Gap& gap : evidence.gaps) sum += gap.p;
  return static_cast<int>(std::lround(sum));
}

}  // namespace

int runs_to_name(const Evidence& evidence, int lo, int hi, double size) {
  const double bits = std::ceil(std::log2(std::max(2, hi - lo)));
  const int pair = evidence.question.kind == Kind::noisy ? kPair : 0;
  return static_cast<int>(std::ceil(bits * runs_to_tell(std::max(std::fabs(size), 1e-9), noise_of(evidence)))) + pair;
}

std::string open_end(const Evidence& evidence, int runs, bool goes_on) {
  if (runs >= evidence.question.budget) return fmt::format("the budget of {} runs is spent", evidence.question.budget);
  if (goes_on || evidence.question.kind == Kind::exact) return "the search goes on";
  return fmt::format("at a noise of {:.2g} % per run, more runs would hardly help", 100 * evidence.noise.run);
}

int runs_for_error(const Evidence& evidence, double error) {
  const double now = std::max(expected_error(evidence.gaps), 1e-9);
  if (now <= error || evidence.question.kind == Kind::exact) return 0;
  // Each run next to a change, or at an end, multiplies the odds against a mistake by the likelihood of two levels that
  // are the wanted effect apart, half of which the other side's own uncertainty takes back.
  const double ratio = wanted_of(evidence).effect / std::max(noise_of(evidence), 1e-9);
  const double nats = std::min(ratio * ratio / 4, std::log(20.0));
  const int places = std::max(2, 2 * changes_likely(evidence));
  return static_cast<int>(std::ceil(places * std::max(1.0, std::log(now / error) / nats)));
}

}  // namespace reg::search
