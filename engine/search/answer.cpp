#include "engine/search/answer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/search/confirm.h"
#include "engine/search/pairs.h"
#include "engine/search/resolution.h"

namespace reg::search {
namespace {

constexpr double kSaid = 0.5;      // a change is said where it is likelier than not
constexpr double kDoubted = 0.05;  // and mentioned as a doubt above this
constexpr double kNormal95 = 1.96;

// The level of a row of units that no change parts, and the variance of that.
struct Level {
  double mean = 0;
  double variance = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Level level_of(const Evidence& evidence, int from, int to) {
  const double sigma = evidence.posterior != nullptr ? evidence.posterior->likeliest().run : 0;
  const double tau = evidence.posterior != nullptr ? evidence.posterior->likeliest().build : 0;
  std::vector<double> all;
  for (auto it = evidence.samples.lower_bound(from); it != evidence.samples.end() && it->first <= to; ++it)
    all.insert(all.end(), it->second.begin(), it->second.end());
  if (all.empty()) return {};
  if (evidence.question.kind == Kind::flaky) {
    const double n = static_cast<double>(all.size());
    const double rate = std::accumulate(all.begin(), all.end(), 0.0) / n;
    const double seen = (rate * n + 2) / (n + 4);  // Agresti and Coull's, which stays inside (0, 1)
    return {rate, seen * (1 - seen) / (n + 4)};
  }
  const double centre = median(all);
  if (evidence.question.kind == Kind::exact) return {centre, 0};
  const double inlier = 4 * std::hypot(sigma, tau);
  double weights = 0;
  double sum = 0;
  for (auto it = evidence.samples.lower_bound(from); it != evidence.samples.end() && it->first <= to; ++it) {
    double total = 0;
    int kept = 0;
    for (const double y : it->second)
      if (std::fabs(y - centre) <= inlier) total += y, ++kept;
    if (kept == 0) continue;
    const double weight = 1 / (tau * tau + sigma * sigma / kept);
    weights += weight;
    sum += weight * total / kept;
  }
  return weights > 0 ? Level{sum / weights, 1 / weights} : Level{centre, sigma * sigma};
}

Estimate estimate(const Evidence& evidence, const Level& level) {
  const double half = kNormal95 * std::sqrt(level.variance);
  if (evidence.question.kind == Kind::flaky)
    return {level.mean, std::max(0.0, level.mean - half), std::min(1.0, level.mean + half)};
  return evidence.scale.outward({level.mean, level.mean - half, level.mean + half});
}

struct Segment {
  int from, to;
  Level level;
};

}  // namespace

Answer answer_from(const Evidence& evidence) {
  Answer answer;
  answer.error = expected_error(evidence.gaps);
  if (evidence.posterior != nullptr) {
    answer.noise = evidence.posterior->likeliest().run;
    answer.build_noise = evidence.posterior->likeliest().build;
  }
  std::vector<Edge> edges;
  std::vector<bool> said(evidence.gaps.size());
  for (std::size_t k = 0; k < evidence.gaps.size(); ++k) {
    const Gap& gap = evidence.gaps[k];
    const Edge edge{evidence.line.last_place(gap.lo), evidence.line.first_place(gap.hi), gap.p};
    answer.narrowest_dip = std::max(answer.narrowest_dip, gap.p > kSaid ? 0 : edge.hi - edge.lo);
    const bool denied = evidence.question.kind == Kind::noisy && gap.p > kSaid && gap.resolved() &&
                        believed(evidence, gap, size_of(evidence, k)) == Believed::no;
    if (gap.p > kSaid && gap.resolved() && !denied) {
      edges.push_back(edge);
      said[k] = true;
    } else if (gap.p > kDoubted) {
      answer.doubts.push_back(edge);
    }
  }
  // Levels between the changes that are said.
  std::vector<Segment> segments;
  int from = 0;
  for (std::size_t k = 0; k <= edges.size(); ++k) {
    const int to = k < edges.size() ? evidence.line.unit_of(edges[k].lo) : evidence.line.units() - 1;
    segments.push_back({from, to, level_of(evidence, from, to)});
    if (k < edges.size()) from = evidence.line.unit_of(edges[k].hi);
  }
  const double effect = evidence.question.kind == Kind::exact ? 1e-300 : worth_finding(evidence);
  const auto agree = [&](const Level& a, const Level& b) {
    return std::fabs(a.mean - b.mean) < std::max(effect, 3 * std::sqrt(a.variance + b.variance));
  };
  for (std::size_t k = 0; k < edges.size(); ++k) {
    Change change;
    change.enter = edges[k];
    change.p = edges[k].p;
    change.before = estimate(evidence, segments[k].level);
    change.after = estimate(evidence, segments[k + 1].level);
    const Level& a = segments[k].level;
    const Level& b = segments[k + 1].level;
    const double half = kNormal95 * std::sqrt(a.variance + b.variance);
    const double difference = b.mean - a.mean;
    change.effect = evidence.scale.effect({difference, difference - half, difference + half}, a.mean);
    if (k + 1 < edges.size() && agree(segments[k].level, segments[k + 2].level)) {
      change.dip = true;
      change.leave = edges[++k];
      change.p *= change.leave.p;
    }
    answer.changes.push_back(change);
  }
  const Resolution found = resolution(evidence, said);
  answer.resolution = std::expm1(found.size);
  const bool done = !any_open(evidence.gaps) && answer.error <= evidence.question.max_error && found.enough;
  answer.verdict = !done ? Verdict::unresolved : answer.changes.empty() ? Verdict::no_change : Verdict::changes;
  return answer;
}

}  // namespace reg::search
