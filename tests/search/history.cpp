#include "tests/search/history.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

#include "tests/search/draws.h"

namespace reg::score {
namespace {

class Trace : public History {
 public:
  Trace(const Shape& shape, std::uint64_t seed) : shape_(shape), draws_(mix(seed)) {
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
      for (int i = from; i < to; ++i) level_[i] += by;
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
    for (int i = 0; i < n; ++i) level_[i] += std::log1p(shape.slope) * i / (n - 1);
    broken_.assign(static_cast<std::size_t>(n), false);
    for (int i = 0; i < n; ++i) {
      if (chance() >= shape.broken / 3) continue;
      static constexpr int kBursts[] = {1, 1, 2, 3, 5};
      const int end = std::min(n, i + kBursts[below(5)]);
      for (int j = i; j < end; ++j) broken_[j] = true;
    }
    broken_.front() = broken_.back() = false;
    for (const int edge : edges) {
      const auto e = static_cast<std::size_t>(edge);
      Truth truth{edge - 1, edge, std::fabs(level_[e] - level_[e - 1])};
      while (truth.lo > 0 && broken_[truth.lo]) --truth.lo;
      while (truth.hi < n - 1 && broken_[truth.hi]) ++truth.hi;
      // Steps with nothing between them that runs are one, which may be none.
      const bool merged = !truth_.empty() && truth_.back().hi == truth.hi;
      if (merged) truth_.pop_back();
      truth.size = std::fabs(level_[truth.hi] - level_[truth.lo]);
      truth.needed = !merged || truth.size > 4 * shape.sigma;
      truth_.push_back(truth);
    }
    exponential_ = chance() < 0.5 && !shape.fixed;
    higher_is_better_ = chance() < 0.5;
    question_.n = n;
    question_.ends = shape.ends;
    noise_ = std::hypot(shape.sigma, shape.load);
    if (shape.untold) return;
    question_.min_effect = std::sqrt(1 + shape.size) - 1;
    question_.min_width = shape.dip;
  }

  void plant(double size) override {
    const int n = question_.n;
    const int at = 1 + static_cast<int>(draws_.uniform(9, 0, 0) * (n - 1));
    for (int i = at; i < n; ++i) level_[i] += std::log1p(size);
    truth_ = {{at - 1, at, std::log1p(size)}};
  }

 private:
  Result draw(int place, std::uint64_t repeat) override {
    const auto u = static_cast<std::size_t>(place);
    if (broken_[u]) return {Result::build_failed, 0};
    const std::uint64_t build = place;
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

  Shape shape_;
  Draws draws_;
  bool exponential_ = false;  // outliers of all sizes
  bool higher_is_better_ = false;
  std::vector<double> level_;
  std::vector<bool> broken_;
};

// Million lattice updates a second (MLUPS) of a fluid solver in 61 nightly JAX containers, as told in the GitHub
// discussion on nightly containers, jax issue 17686. 0 = that night's program crashed.
// clang-format off
constexpr std::array<double, 61> kJaxNights = {
    587.9241, 587.8908, 587.3186, 587.3130, 587.8527, 570.1631, 570.2820, 570.1672,  // from 07-06
    587.4372, 587.6703, 577.3064, 577.2363, 577.2102, 577.0716, 577.4223, 577.2256,  // from 07-20
    577.2777, 577.0138, 577.1333, 577.3050, 577.2144, 577.2409, 577.2603, 577.2824,  // from 08-01
    577.3453, 577.3161, 577.1698, 577.3050, 576.9052, 577.5332, 577.5118, 577.5931,  // from 08-09
    577.3540, 577.4190, 577.3004, 577.4264, 577.4088, 577.1095, 0, 537.0165,  // from 08-19
    536.9545, 536.2888, 536.7178, 536.6979, 536.7031, 536.5340, 536.6508, 536.7144,  // from 08-27
    536.7377, 536.7798, 536.7262, 536.7446, 536.6707, 536.6778, 536.7582, 536.6156,  // from 09-08
    536.7321, 536.7105, 536.7492, 536.6760, 536.7361,  // from 09-16
};
// clang-format on

constexpr int kLeftCrops = 4;
// 587.7, 570.2, 587.5, 577.3, 536.7; the night before the last change crashed.
constexpr Truth kLasting[] = {{9, 10}, {37, 39}};
constexpr Truth kTemporary[] = {{4, 5}, {7, 8}};

class JaxNights : public History {
 public:
  JaxNights(int crop, std::uint64_t seed, double min_effect, int min_width)
      : first_(crop % kLeftCrops), draws_(mix(seed)) {
    question_.n = static_cast<int>(kJaxNights.size()) - first_ - crop / kLeftCrops;
    question_.min_effect = min_effect;
    question_.min_width = min_width;
    const auto add = [&](const Truth& change, bool needed) {
      truth_.push_back({change.lo - first_, change.hi - first_, 0, needed});
    };
    for (const Truth& change : kTemporary) add(change, min_width > 0);
    for (const Truth& change : kLasting) add(change, true);
  }

 private:
  Result draw(int place, std::uint64_t repeat) override {
    const int night = first_ + place;
    const double first = kJaxNights[night];
    if (first == 0) return {Result::run_failed, 0};
    const double z = repeat == 0 ? 0 : draws_.normal(0, night, repeat);
    return {Result::ok, first * std::exp(0.0005 * z)};
  }

  int first_;  // night of the series at place 0
  Draws draws_;
};

class PassFail : public History {
 public:
  PassFail(const Rates& rates, std::uint64_t seed) : rates_(rates), draws_(mix(seed)) {
    change_ = 1 + static_cast<int>(draws_.uniform(0, 0, 0) * (rates.n - 1));
    question_.n = rates.n;
    const auto by_chance = [](double rate) { return rate > 0 && rate < 1; };
    const bool flaky = !rates.untold && (by_chance(rates.before) || by_chance(rates.after));
    question_.kind = flaky ? search::Kind::flaky : search::Kind::exact;
    question_.chance = question_.ends = rates.untold;
    question_.min_effect = rates.untold ? 0 : 0.2;
    if (rates.before != rates.after) truth_.push_back({change_ - 1, change_});
  }

 private:
  Result draw(int place, std::uint64_t repeat) override {
    const double rate = place < change_ ? rates_.before : rates_.after;
    return {Result::ok, draws_.uniform(1, place, repeat) < rate ? 1.0 : 0.0};
  }

  Rates rates_;
  Draws draws_;
  int change_;  // the first place with the rate after it
};

}  // namespace

std::unique_ptr<History> trace(const Shape& shape, std::uint64_t seed) { return std::make_unique<Trace>(shape, seed); }

std::unique_ptr<History> jax_nights(int crop, std::uint64_t seed, double min_effect, int min_width) {
  return std::make_unique<JaxNights>(crop, seed, min_effect, min_width);
}

std::unique_ptr<History> pass_fail(const Rates& rates, std::uint64_t seed) {
  return std::make_unique<PassFail>(rates, seed);
}

}  // namespace reg::score
