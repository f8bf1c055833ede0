#include "engine/search/level.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reg::search {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Level level_with(const Evidence& evidence, int first, int last, double sigma, double tau) {
  std::vector<double> all;
  for (auto it = evidence.samples.lower_bound(first); it != evidence.samples.end() && it->first <= last; ++it)
    all.insert(all.end(), it->second.begin(), it->second.end());
  if (all.empty()) return {};
  if (evidence.question.kind == Kind::flaky) {
    const double n = static_cast<double>(all.size());
    const double rate = std::accumulate(all.begin(), all.end(), 0.0) / n;
    const double seen = (rate * n + 2) / (n + 4);  // Agresti and Coull's, which stays inside (0, 1)
    return {rate, seen * (1 - seen) / (n + 4), all.size()};
  }
  const double centre = median(all);
  if (evidence.question.kind == Kind::exact) return {centre, 0, all.size()};
  const double inlier = 4 * std::hypot(sigma, tau);
  double weights = 0;
  double sum = 0;
  for (auto it = evidence.samples.lower_bound(first); it != evidence.samples.end() && it->first <= last; ++it) {
    double total = 0;
    int kept = 0;
    for (const double y : it->second)
      if (std::fabs(y - centre) <= inlier) total += y, ++kept;
    if (kept == 0) continue;
    const double weight = 1 / (tau * tau + sigma * sigma / kept);
    weights += weight;
    sum += weight * total / kept;
  }
  return weights > 0 ? Level{sum / weights, 1 / weights, all.size()} : Level{centre, sigma * sigma, all.size()};
}

}  // namespace

double half_width_95(const Evidence& evidence) {
  if (evidence.question.kind != Kind::noisy) return kNormal95;
  double freedom = -1;
  for (const auto& [unit, ys] : evidence.samples) freedom += static_cast<double>(ys.size());
  for (const Gap& gap : evidence.gaps) freedom -= gap.p > 0.5 ? 1 : 0;
  const double n = std::max(freedom, 2.0);
  const double z = kNormal95;
  return z + (std::pow(z, 3) + z) / (4 * n) + (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

Level level_of(const Evidence& evidence, int first, int last) {
  const Noise& noise = evidence.noise;
  return level_with(evidence, first, last, noise.run, noise.build);
}

Level stated_level_of(const Evidence& evidence, int first, int last) {
  const Noise& noise = evidence.stated;
  return level_with(evidence, first, last, noise.run, noise.build);
}

}  // namespace reg::search
