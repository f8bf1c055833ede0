#include "tests/search/traces.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace reg::traces {
namespace {

std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finalizer
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

}  // namespace

double Trace::uniform(std::uint64_t what, std::uint64_t build, std::uint64_t repeat) const {
  return unit(mix(key_ ^ mix(what ^ mix(build ^ mix(repeat)))));
}

double Trace::normal(std::uint64_t what, std::uint64_t build, std::uint64_t repeat) const {
  return std::sqrt(-2 * std::log(uniform(what, build, repeat))) *
         std::cos(2 * M_PI * uniform(what + 100, build, repeat));
}

Trace::Trace(const Cell& cell, std::uint64_t seed) : cell_(cell), key_(mix(seed)) {
  std::mt19937_64 random(key_);
  const auto chance = [&] { return unit(random()); };
  const auto below = [&](int n) { return static_cast<int>(chance() * n); };
  const int n = cell.n;
  const int room = std::max(2, n / 64);
  std::vector<int> steps;
  for (bool apart = false; !apart;) {
    steps.clear();
    for (int k = 0; k < cell.steps; ++k) steps.push_back(room + below(n - 2 * room));
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
    const double size = std::log1p(cell.size * std::exp(chance() * 0.5 - 0.25));
    shift(at, n, cell.mixed && chance() < 0.5 ? -size : size);
  }
  if (cell.dip > 0) {
    int from = 0;
    const auto crowded = [&](int at) {
      return std::abs(from - at) <= cell.dip + room || std::abs(from + cell.dip - at) <= cell.dip + room;
    };
    do from = room + below(n - 2 * room - cell.dip);
    while (std::any_of(steps.begin(), steps.end(), crowded));
    shift(from, from + cell.dip, std::log1p(cell.size) * (chance() < 2.0 / 3 ? 1 : -1));
  }
  for (int i = 0; i < n; ++i) level_[static_cast<std::size_t>(i)] += cell.drift * i / n;
  broken_.assign(static_cast<std::size_t>(n), false);
  for (int i = 0; i < n; ++i) {
    if (chance() >= cell.broken / 3) continue;
    static constexpr int kBursts[] = {1, 1, 2, 3, 5};
    const int end = std::min(n, i + kBursts[below(5)]);
    for (int j = i; j < end; ++j) broken_[static_cast<std::size_t>(j)] = true;
  }
  broken_.front() = broken_.back() = false;
  for (int i = 0; i < n; ++i) {
    const auto u = static_cast<std::size_t>(i);
    const bool own = i == 0 || edges.count(i) > 0 || broken_[u] != broken_[u - 1] || chance() >= cell.share;
    build_.push_back(i == 0 ? 0 : build_.back() + (own ? 1 : 0));
  }
  for (const int edge : edges) {
    Truth truth{edge - 1, edge};
    while (truth.lo > 0 && broken_[static_cast<std::size_t>(truth.lo)]) --truth.lo;
    while (truth.hi < n - 1 && broken_[static_cast<std::size_t>(truth.hi)]) ++truth.hi;
    truth_.push_back(truth);
  }
  repeats_.assign(static_cast<std::size_t>(n), 0);
  exponential_ = chance() < 0.5 && !cell.fixed;
  higher_is_better_ = chance() < 0.5;
}

Trace::Result Trace::run(int place) {
  ++runs_;
  const auto u = static_cast<std::size_t>(place);
  if (broken_[u]) return {Result::build_failed, 0};
  const auto build = static_cast<std::uint64_t>(build_[u]);
  const auto repeat = static_cast<std::uint64_t>(repeats_[static_cast<std::size_t>(build_[u])]++);
  if (uniform(1, build, repeat) < cell_.crashes) return {Result::run_failed, 0};
  double y = level_[u] + cell_.tau * normal(2, build, 0) + cell_.sigma * normal(3, build, repeat);
  if (uniform(4, build, repeat) < cell_.outliers)
    y += std::log(1.2) * (exponential_ ? -std::log(uniform(5, build, repeat)) : 1);
  if (uniform(6, build, repeat) < 0.5) y += cell_.bimodal;
  return {Result::ok, 100 * std::exp(higher_is_better_ ? -y : y)};
}

}  // namespace reg::traces
