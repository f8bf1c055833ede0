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

double unit_of(const Evidence& evidence) {
  const Noise& noise = evidence.stated;
  return std::hypot(noise.run, noise.build);
}

}  // namespace

double claim_of(const Evidence& evidence) {
  return evidence.scale.inward_effect(evidence.question.min_effect > 0 ? evidence.question.min_effect : kClaim);
}

double sought(const Evidence& evidence) {
  const Wanted wanted = wanted_of(evidence);
  const double exclude = evidence.scale.inward_effect(evidence.question.exclude);
  if (wanted.told) return wanted.effect;
  if (evidence.question.min_effect == 0 && exclude > 0) return exclude;
  return std::max(wanted.effect, kClaimed * unit_of(evidence));
}

Resolution resolution(const Evidence& evidence, const std::vector<bool>& said) {
  if (evidence.question.kind != Kind::noisy) return {};
  if (evidence.direct != nullptr) {
    const double size = evidence.direct->resolution();
    return {size, claim_of(evidence), size <= claim_of(evidence)};
  }
  const double unit = unit_of(evidence);
  const auto missed = [&](double size) {
    const std::vector<double> jumps = evidence.posterior->jumps(size);
    double sum = 0;
    for (std::size_t k = 0; k < said.size(); ++k) sum += said[k] ? 0 : jumps[k];
    return sum > kMissed;
  };
  double low = std::log(kFinest * unit);
  double high = std::log(kCoarsest * unit);
  const double claimed = sought(evidence);
  if (missed(std::exp(high))) return {0, claimed, false};
  for (int k = 0; k < kSteps; ++k) {
    const double middle = (low + high) / 2;
    (missed(std::exp(middle)) ? low : high) = middle;
  }
  return {std::max(std::exp(high), claimed), claimed, std::exp(high) <= claimed};
}

}  // namespace reg::search
