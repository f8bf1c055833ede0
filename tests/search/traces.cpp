#include "tests/search/traces.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace reg::score {

Trace::Trace(const Shape& shape, std::uint64_t seed) : shape_(shape), draws_(mix(seed)) {
  std::mt19937_64 random(mix(seed));
  const auto chance = [&] { return unit(random()); };
  const auto below = [&](int n) { return static_cast<int>(chance() * n); };
  const int n = shape.n;
  const int room = shape.close ? 1 : std::max(2, n / 64);
  std::vector<int> steps;
  for (bool apart = false; !apart;) {
    steps.clear();
    for (int k = 0; k < shape.steps; ++k) steps.push_back(room + below(n - 2 * room + (shape.close ? 1 : 0)));
    std::sort(steps.begin(), steps.end());
    apart = true;
    for (std::size_t k = 1; k < steps.size(); ++k) apart = apart && steps[k] - steps[k - 1] >= room;
  }
  std::set<int> edges;
  level_.assign(static_cast<std::size_t>(n), 0);
  const auto shift = [&](int from, int to, double by) {
    for (int i = from; i < to; ++i) level_[static_cast<std::size_t>(i)] += by;
    edges.insert(from);
    if (to < n) edges.insert(to);
  };
  for (const int at : steps) {
    const double of = shape.sizes.empty()
                          ? shape.size
                          : shape.sizes[static_cast<std::size_t>(below(static_cast<int>(shape.sizes.size())))];
    const double size = std::log1p(of * std::exp(chance() * 0.5 - 0.25));
    shift(at, n, shape.mixed && chance() < 0.5 ? -size : size);
  }
  if (shape.dip > 0) {
    int from = 0;
    const auto crowded = [&](int at) {
      return std::abs(from - at) <= shape.dip + room || std::abs(from + shape.dip - at) <= shape.dip + room;
    };
    do from = room + below(n - 2 * room - shape.dip);
    while (std::any_of(steps.begin(), steps.end(), crowded));
    shift(from, from + shape.dip, std::log1p(shape.size) * (chance() < 2.0 / 3 ? 1 : -1));
  }
  for (int i = 0; i < n; ++i) level_[static_cast<std::size_t>(i)] += std::log1p(shape.slope) * i / (n - 1);
  broken_.assign(static_cast<std::size_t>(n), false);
  for (int i = 0; i < n; ++i) {
    if (chance() >= shape.broken / 3) continue;
    static constexpr int kBursts[] = {1, 1, 2, 3, 5};
    const int end = std::min(n, i + kBursts[below(5)]);
    for (int j = i; j < end; ++j) broken_[static_cast<std::size_t>(j)] = true;
  }
  broken_.front() = broken_.back() = false;
  for (int i = 0; i < n; ++i) question_.builds.push_back(i);
  for (const int edge : edges) {
    const auto e = static_cast<std::size_t>(edge);
    Truth truth{edge - 1, edge, std::fabs(level_[e] - level_[e - 1])};
    while (truth.lo > 0 && broken_[static_cast<std::size_t>(truth.lo)]) --truth.lo;
    while (truth.hi < n - 1 && broken_[static_cast<std::size_t>(truth.hi)]) ++truth.hi;
    // Steps with nothing between them that runs are one, which may be none.
    const bool merged = !truth_.empty() && truth_.back().hi == truth.hi;
    if (merged) truth_.pop_back();
    truth.size = std::fabs(level_[static_cast<std::size_t>(truth.hi)] - level_[static_cast<std::size_t>(truth.lo)]);
    truth.needed = !merged || truth.size > 4 * shape.sigma;
    truth_.push_back(truth);
  }
  repeats_.assign(static_cast<std::size_t>(n), 0);
  exponential_ = chance() < 0.5 && !shape.fixed;
  higher_is_better_ = chance() < 0.5;
  question_.n = n;
  question_.ends = shape.ends;
  noise_ = std::hypot(shape.sigma, shape.load);
  if (shape.untold) return;
  question_.min_effect = std::sqrt(1 + shape.size) - 1;
  question_.min_width = shape.dip;
}

void Trace::plant(double size) {
  const int n = question_.n;
  const int at = 1 + static_cast<int>(draws_.uniform(9, 0, 0) * (n - 1));
  for (int i = at; i < n; ++i) level_[static_cast<std::size_t>(i)] += std::log1p(size);
  truth_ = {{at - 1, at, std::log1p(size)}};
}

History::Result Trace::draw(int place) {
  const auto u = static_cast<std::size_t>(place);
  if (broken_[u]) return {Result::build_failed, 0};
  const auto build = static_cast<std::uint64_t>(question_.builds[u]);
  const auto repeat = static_cast<std::uint64_t>(repeats_[build]++);
  if (draws_.uniform(1, build, repeat) < shape_.crashes) return {Result::run_failed, 0};
  double y = level_[u] + shape_.tau * draws_.normal(2, build, 0) + shape_.sigma * draws_.normal(3, build, repeat);
  if (draws_.uniform(4, build, repeat) < shape_.outliers)
    y += std::log(1.2) * (exponential_ ? -std::log(draws_.uniform(5, build, repeat)) : 1);
  const auto burst = static_cast<std::uint64_t>(runs() / 6);
  if (shape_.load > 0 && draws_.uniform(7, burst, 0) < 0.12)
    y += shape_.load * (0.3 - std::log(draws_.uniform(8, burst, 0)));
  if (shape_.skew > 0) y -= shape_.skew * std::log(draws_.uniform(10, build, repeat));
  return {Result::ok, 100 * std::exp(higher_is_better_ ? -y : y)};
}

}  // namespace reg::score
