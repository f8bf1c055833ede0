#include "engine/search/stretches.h"

#include <algorithm>

#include "engine/search/confirm.h"
#include "engine/search/pairs.h"

namespace reg::search {
namespace {

constexpr double kConfidence = 0.95;
constexpr double kNegligible = 0.01;  // a stretch ends where a change is less likely

// A flaky test has a larger error by default, and a search for one ends with less confidence.
double confidence_of(const Question& question) { return std::min(kConfidence, 1 - question.max_error); }

bool is_denied(const Evidence& evidence, std::size_t k) {
  const Gap& gap = evidence.gaps[k];
  return evidence.posterior != nullptr && evidence.question.kind == Kind::noisy && gap.resolved() && gap.p > 0.5 &&
         believed(evidence, gap, size_of(evidence, k)) == Believed::no;
}

// The gaps of one change exclude each other, so their probabilities add up.
Stretch grown(const Evidence& evidence, const std::vector<bool>& taken, std::size_t seed) {
  const std::vector<Gap>& gaps = evidence.gaps;
  Stretch stretch{seed, seed, gaps[seed].p, false};
  const auto at = [&](std::size_t k) { return k < gaps.size() && !taken[k] ? gaps[k].p : 0.0; };
  while (stretch.p < confidence_of(evidence.question)) {
    const double before = stretch.first > 0 ? at(stretch.first - 1) : 0;
    const double after = at(stretch.last + 1);
    if (std::max(before, after) < kNegligible) break;
    if (before > after)
      --stretch.first;
    else
      ++stretch.last;
    stretch.p += std::max(before, after);
  }
  stretch.p = std::min(stretch.p, 1.0);
  stretch.open = stretch.first < stretch.last || !gaps[seed].resolved();
  return stretch;
}

}  // namespace

std::vector<Stretch> stretches_of(const Evidence& evidence) {
  const std::size_t count = evidence.gaps.size();
  std::vector<std::size_t> seeds;
  std::vector<bool> taken(count);
  for (std::size_t k = 0; k < count; ++k) {
    taken[k] = is_denied(evidence, k);
    seeds.push_back(k);
  }
  std::stable_sort(seeds.begin(), seeds.end(),
                   [&](std::size_t a, std::size_t b) { return evidence.gaps[a].p > evidence.gaps[b].p; });
  std::vector<Stretch> stretches;
  for (const std::size_t seed : seeds) {
    if (taken[seed]) continue;
    const Stretch stretch = grown(evidence, taken, seed);
    if (stretch.p < confidence_of(evidence.question)) continue;
    for (std::size_t k = stretch.first; k <= stretch.last; ++k) taken[k] = true;
    stretches.push_back(stretch);
  }
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.first < b.first; });
  return stretches;
}

}  // namespace reg::search
