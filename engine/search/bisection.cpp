#include "engine/search/bisection.h"

#include <algorithm>
#include <cmath>

#include "engine/search/gaps.h"

namespace reg::search {
namespace {

constexpr double kFreedom = 4;     // of Student's t, which the noise is taken for
constexpr double kKnown = 0.97;    // the place, of the runs that follow others confirm it
constexpr double kDecided = 0.02;  // the side of a unit whose runs count for the level of that side
constexpr double kOff = 3.5;       // standard errors

using Runs = std::vector<double>;

double log_density(double distance, double sigma) {
  const double z = distance / sigma;
  return -(kFreedom + 1) / 2 * std::log1p(z * z / kFreedom);
}

}  // namespace

Bisection::Bisection(const Line& line, const Samples& samples)
    : line_(line), samples_(samples), scatter_(scatter_of(samples)) {
  Runs low = samples.begin()->second;
  Runs high = samples.rbegin()->second;
  const int first = samples.begin()->first;
  const int last = samples.rbegin()->first;
  for (int pass = 0; pass < 3; ++pass) {
    const double a = bulk_of(low, scatter_.sigma);
    const double b = bulk_of(high, scatter_.sigma);
    // Of each place, how much likelier the runs are than if the change had come with the last unit.
    std::vector<double> weight(static_cast<std::size_t>(line.units()), 0);
    double sum = 0;
    double most = -1e300;
    std::vector<double> log_of(weight.size(), -1e300);
    for (int unit = last; unit > first; --unit) {
      if (const auto runs = samples.find(unit); runs != samples.end() && unit != last)
        for (const double y : runs->second)
          sum += log_density(y - b, scatter_.sigma) - log_density(y - a, scatter_.sigma);
      const double mass = line.mass(unit - 1, unit);
      if (mass <= 0) continue;
      log_of[static_cast<std::size_t>(unit)] = sum + std::log(mass);
      most = std::max(most, log_of[static_cast<std::size_t>(unit)]);
    }
    double total = 0;
    for (double& w : log_of) total += w = std::exp(w - most);
    place_.assign(1, 0);
    for (const double w : log_of) place_.push_back(place_.back() + w / total);
    low = samples.begin()->second;
    high = samples.rbegin()->second;
    for (const auto& [unit, ys] : samples) {
      if (unit == first || unit == last) continue;
      if (before(unit) < kDecided) low.insert(low.end(), ys.begin(), ys.end());
      if (before(unit) > 1 - kDecided) high.insert(high.end(), ys.begin(), ys.end());
    }
  }
}

double Bisection::before(int unit) const { return place_[static_cast<std::size_t>(unit) + 1]; }

int Bisection::next() const {
  // The place is known where no unit that could still be run lies between two that almost surely are on its sides.
  int lo = samples_.begin()->first;
  int hi = samples_.rbegin()->first;
  for (const auto& [unit, ys] : samples_) {
    if (before(unit) <= (1 - kKnown) / 2) lo = unit;
    if (before(unit) >= 1 - (1 - kKnown) / 2 && hi == samples_.rbegin()->first) hi = unit;
  }
  if (line_.untested(lo, hi) == 0) {
    bool between = false;
    for (const auto& [unit, ys] : samples_) between = between || (lo < unit && unit < hi);
    if (!between) return -1;
  }
  int best = -1;
  double most = 0;
  for (int unit = lo; unit <= hi; ++unit) {
    if (line_.failed(unit) || line_.assumed_broken(unit) || line_.given_up(unit)) continue;
    const double value = binary_entropy(before(unit)) * (1 - line_.chance_of_failure(unit)) / line_.cost(unit);
    if (value > most) most = value, best = unit;
  }
  return best;
}

bool Bisection::fits() const {
  const int first = samples_.begin()->first;
  const int last = samples_.rbegin()->first;
  Runs low;
  Runs high;
  for (const auto& [unit, ys] : samples_) {
    if (unit == first || unit == last) continue;
    if (before(unit) < kDecided) low.insert(low.end(), ys.begin(), ys.end());
    if (before(unit) > 1 - kDecided) high.insert(high.end(), ys.begin(), ys.end());
  }
  const auto like = [&](const Runs& end, const Runs& side) {
    return side.empty() || std::fabs(compare(end, side, scatter_).sigmas()) < kOff;
  };
  return like(samples_.begin()->second, low) && like(samples_.rbegin()->second, high);
}

}  // namespace reg::search
