#include "engine/search/resolution.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr double kMissed = 0.05;  // jumps of that size that are expected, and not said
constexpr double kFinest = 0.5;   // parts of the noise
constexpr double kCoarsest = 16;
// What was not looked for was not excluded, however unlikely the model thinks it is. Measured by planting steps of the
// size claimed in histories without a change (search_score --plant).
constexpr double kClaimed = 3.0;
constexpr int kSteps = 6;  // of halving the range of its logarithm: to 3 %

}  // namespace

Resolution resolution(const Evidence& evidence, const std::vector<bool>& said) {
  if (evidence.question.kind != Kind::noisy) return {};
  const Posterior::Noise noise = evidence.posterior->expected_noise();
  const double unit = std::hypot(noise.run, noise.build);
  std::vector<bool> counts(said.size());
  for (std::size_t k = 0; k < said.size(); ++k) counts[k] = !said[k];
  const auto missed = [&](double size) { return evidence.posterior->expected_jumps(size, counts) > kMissed; };
  double low = std::log(kFinest * unit);
  double high = std::log(kCoarsest * unit);
  const Wanted wanted = wanted_of(evidence);
  const double exclude = evidence.scale.inward_effect(evidence.question.exclude);
  const double claimed = wanted.told                                        ? wanted.effect
                         : evidence.question.min_effect == 0 && exclude > 0 ? exclude
                                                                            : std::max(wanted.effect, kClaimed * unit);
  if (missed(std::exp(high))) return {0, claimed, false};
  for (int k = 0; k < kSteps; ++k) {
    const double middle = (low + high) / 2;
    (missed(std::exp(middle)) ? low : high) = middle;
  }
  return {std::max(std::exp(high), claimed), claimed, std::exp(high) <= claimed};
}

}  // namespace reg::search
