#include <algorithm>
#include <cmath>

#include "tests/search/rivals.h"

namespace reg::score {
namespace {

constexpr double kMostDeviations = 4;  // what a single run can say: outliers are no changes
constexpr double kSignificance = 0.001;
constexpr std::size_t kMostLevels = 4000;

struct Point {
  Unit unit;
  double y = 0;
};

std::vector<Point> run_all(History& history) {
  std::vector<Point> points;
  for (const Unit& unit : units_of(history.question())) {
    History::Result result = history.run(unit.first);
    if (result.status == History::Result::run_failed) result = history.run(unit.first);
    if (result.status == History::Result::ok) points.push_back({unit, inward(history.question(), result.value)});
  }
  return points;
}

// From run to run, by neighbours: few of these have a change between them.
double noise_of(const std::vector<Point>& points) {
  std::vector<double> differences;
  for (std::size_t k = 1; k < points.size(); ++k) differences.push_back(std::fabs(points[k].y - points[k - 1].y));
  return std::max(median(differences) / (0.6745 * std::sqrt(2.0)), 1e-6);
}

// The square of the deviation that noise exceeds, at any of n places, in one of 1 / kSignificance histories.
double jump_cost(std::size_t n) {
  double low = 0;
  double high = 20;
  while (high - low > 1e-6) {
    const double z = (low + high) / 2;
    (std::erfc(z / std::sqrt(2.0)) * static_cast<double>(n) > kSignificance ? low : high) = z;
  }
  return low * low;
}

// The points at which the cheapest path over a grid of levels jumps.
std::vector<std::size_t> jumps_of(const std::vector<Point>& points) {
  const double sigma = noise_of(points);
  const auto [least, most] =
      std::minmax_element(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  const double step = std::max(sigma / 2, (most->y - least->y) / kMostLevels);
  const auto levels = static_cast<std::size_t>((most->y - least->y) / step) + 2;
  const double jump = jump_cost(points.size());
  std::vector<double> cost(levels, 0);
  std::vector<std::vector<bool>> jumped;
  std::vector<std::size_t> cheapest;
  for (const Point& point : points) {
    const auto best = std::min_element(cost.begin(), cost.end());
    const double by_jump = *best + jump;
    cheapest.push_back(static_cast<std::size_t>(best - cost.begin()));
    jumped.emplace_back(levels, false);
    for (std::size_t g = 0; g < levels; ++g) {
      const double z = (point.y - least->y - step * static_cast<double>(g)) / sigma;
      jumped.back()[g] = by_jump < cost[g];
      cost[g] = std::min(cost[g], by_jump) + std::min(z * z, kMostDeviations * kMostDeviations);
    }
  }
  std::vector<std::size_t> jumps;
  auto level = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  for (std::size_t k = points.size(); k-- > 1;) {
    if (!jumped[k][level]) continue;
    jumps.push_back(k);
    level = cheapest[k];
  }
  std::reverse(jumps.begin(), jumps.end());
  return jumps;
}

double level_between(const std::vector<Point>& points, std::size_t from, std::size_t to) {
  std::vector<double> values;
  for (std::size_t k = from; k < to; ++k) values.push_back(points[k].y);
  return median(values);
}

// The smallest jump goes until none is smaller than what was asked for.
void drop_small(std::vector<std::size_t>& jumps, const std::vector<Point>& points, double effect) {
  while (!jumps.empty()) {
    std::size_t smallest = 0;
    double size = effect;
    for (std::size_t k = 0; k < jumps.size(); ++k) {
      const double before = level_between(points, k == 0 ? 0 : jumps[k - 1], jumps[k]);
      const double after = level_between(points, jumps[k], k + 1 == jumps.size() ? points.size() : jumps[k + 1]);
      if (std::fabs(after - before) >= size) continue;
      size = std::fabs(after - before);
      smallest = k;
    }
    if (size == effect) return;
    jumps.erase(jumps.begin() + static_cast<long>(smallest));
  }
}

}  // namespace

Played play_sweep(History& history) {
  const std::vector<Point> points = run_all(history);
  Played played;
  if (points.size() < 2) return played;
  std::vector<std::size_t> jumps = jumps_of(points);
  drop_small(jumps, points, inward_effect(history.question()));
  for (const std::size_t k : jumps)
    played.said.push_back({points[k - 1].unit.last, points[k].unit.first, 1 - kSignificance});
  return played;
}

}  // namespace reg::score
