#include "engine/search/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reg::search {
namespace {

// What a change too small to be said counts against one that is said: next to nothing, so that nobody measures which of
// the two it is, but enough where it is certain.
constexpr double kTiny = 0.05;

}  // namespace

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

double half_width_95(const Evidence& evidence) {
  if (!evidence.noisy()) return kNormal95;
  double freedom = -1;
  for (const auto& [unit, ys] : evidence.samples) freedom += static_cast<double>(ys.size());
  for (const Gap& gap : evidence.gaps) freedom -= gap.likely() ? 1 : 0;
  return student_95(freedom);
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

double distance(const Level& a, const Level& b) { return std::fabs(b.mean - a.mean); }
double deviation(const Level& a, const Level& b) { return std::sqrt(a.variance + b.variance); }

bool Sum::agrees() const { return std::fabs(ends - found) <= half; }

Sum sum_of(const Evidence& evidence, int first, int last) {
  const Level low = level_of(evidence, evidence.first(), first);
  const Level high = level_of(evidence, last, evidence.last());
  const Level first_end = level_of(evidence, evidence.first(), evidence.first());
  const Level last_end = level_of(evidence, evidence.last(), evidence.last());
  // An end is part of its level, which has the smaller variance.
  const double variance =
      std::max(0.0, first_end.variance - low.variance) + std::max(0.0, last_end.variance - high.variance);
  return {high.mean - low.mean, last_end.mean - first_end.mean, kNormal95 * std::sqrt(variance)};
}

}  // namespace reg::search
