#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/search/direct.h"

// The two ends of a search: whether they differ, and the place of the one change between two that do.

namespace reg::search {
namespace {

constexpr double kMargin = 0.0488;     // the logarithm of 1.05
constexpr int kEnoughOfEnds = 40;      // runs of both ends; a difference that does not show by then is bounded
constexpr std::size_t kLeastRuns = 3;  // runs of each end before they are called the same, or made together
// Looked at after each pair. Of ends that are alike one pair of ends in 100 is said to differ, and of ends that differ
// by 1.5 times the noise one in 1,000 is said to be alike (tests/search).
constexpr double kDiffer = 3.0;  // standard errors
constexpr double kAlike = 1.3;

constexpr double kTailsFreedom = 4;  // of Student's t, which the noise is taken for
constexpr double kKnown = 0.985;     // the place, of the runs that follow others confirm it
constexpr double kPart = 0.5;        // of a part: a cut that is further off is none
constexpr double kDecided = 0.02;    // the side of a unit whose runs count for the level of that side
constexpr double kOff = 3.5;         // standard errors

double log_density(double distance, double sigma) {
  const double z = distance / sigma;
  return -(kTailsFreedom + 1) / 2 * std::log1p(z * z / kTailsFreedom);
}

// Where one change between the outermost units is, with the probability of each place.
struct Bisection {
  Bisection(const Line& on, const Samples& told)
      : line(on), samples(told), first(told.begin()->first), last(told.rbegin()->first), scatter(scatter_of(told)) {
    for (int pass = 0; pass < 3; ++pass) place_change();
  }

  // Before this unit or with it.
  double before(int unit) const { return place[static_cast<std::size_t>(unit) + 1]; }
  bool is_open(int unit) const { return line.is_open(unit); }

  void place_change() {
    const auto level_of = [&](int end, std::vector<double> side) {
      side.insert(side.begin(), samples.at(end).begin(), samples.at(end).end());
      return bulk_of(side, scatter.sigma);
    };
    const double a = level_of(first, low);
    const double b = level_of(last, high);
    // Of each place, how much likelier the runs are than if the change had come with the last unit.
    std::vector<double> log_of(static_cast<std::size_t>(line.units()), -1e300);
    double sum = 0;
    double most = -1e300;
    for (int unit = last; unit > first; --unit) {
      if (const auto runs = samples.find(unit); runs != samples.end() && unit != last)
        for (const double y : runs->second)
          sum += log_density(y - b, scatter.sigma) - log_density(y - a, scatter.sigma);
      log_of[static_cast<std::size_t>(unit)] = sum;
      most = std::max(most, log_of[static_cast<std::size_t>(unit)]);
    }
    double total = 0;
    for (double& w : log_of) total += w = std::exp(w - most);
    place.assign(1, 0);
    for (const double w : log_of) place.push_back(place.back() + w / total);
    low.clear();
    high.clear();
    for (const auto& [unit, ys] : samples) {
      if (unit == first || unit == last) continue;
      if (before(unit) < kDecided) low.insert(low.end(), ys.begin(), ys.end());
      if (before(unit) > 1 - kDecided) high.insert(high.end(), ys.begin(), ys.end());
    }
  }

  bool fits() const {
    const auto like = [&](int end, const std::vector<double>& side) {
      return side.empty() || std::fabs(compare(samples.at(end), side, scatter).sigmas()) < kOff;
    };
    return like(first, low) && like(last, high);
  }

  std::vector<int> cuts(int lo, int hi, int count) const {
    std::vector<int> units;
    for (int cut = 1; cut <= count; ++cut) {
      const double part = static_cast<double>(cut) / (count + 1);
      int best = -1;
      double least = kPart / (count + 1);
      for (int unit = lo; unit <= hi; ++unit) {
        const double away = std::fabs(before(unit) - part);
        if (is_open(unit) && away < least && std::find(units.begin(), units.end(), unit) == units.end())
          least = away, best = unit;
      }
      if (best >= 0) units.push_back(best);
    }
    return units;
  }

  const Line& line;
  const Samples& samples;
  int first, last;
  std::vector<double> place;      // probability that the change came with each unit or an earlier one
  std::vector<double> low, high;  // runs of the units between the ends that almost surely are on either side
  Scatter scatter;
};

}  // namespace

void Ends::update(const Samples& samples) {
  const auto& a = samples.begin()->second;
  const auto& b = samples.rbegin()->second;
  runs_ = static_cast<int>(a.size() + b.size());
  comparison_ = compare(a, b, scatter_of({{0, a}, {1, b}}));
  if (verdict_ != EndsFound::Verdict::open) return;
  const double sigmas = std::fabs(comparison_.sigmas());
  // A burst of load may last as long as the runs that are made together.
  if (std::min(a.size(), b.size()) < (together_ ? 2 * kLeastRuns : 2)) return;
  const bool bounded = std::min(a.size(), b.size()) >= kLeastRuns && bound() <= (margin_ > 0 ? margin_ : kMargin);
  if (sigmas >= kDiffer && std::fabs(comparison_.difference) >= margin_)
    verdict_ = EndsFound::Verdict::differ;
  else if ((bounded && sigmas < kDiffer) || (margin_ == 0 && runs_ >= kEnoughOfEnds && sigmas < kAlike))
    verdict_ = EndsFound::Verdict::same;
}

double Ends::bound() const {
  const Estimate difference = comparison_.estimate();
  return std::max(difference.high, -difference.low);
}

int Ends::runs_to_tell() const {
  const double size = std::fabs(comparison_.difference), clear = kDiffer * comparison_.error;
  const int least = static_cast<int>(together_ ? 4 * kLeastRuns : 2 * kLeastRuns);
  if (size >= clear && size >= margin_) return std::max(1, least - runs_);
  if (margin_ == 0 && runs_ < kEnoughOfEnds) return kEnoughOfEnds - runs_;
  const double gap = std::max(std::fabs(comparison_.difference), margin_ > 0 ? margin_ : kMargin);
  return static_cast<int>(std::ceil(runs_ * (std::pow(kDiffer * comparison_.error / gap, 2)))) - runs_;
}

int Ends::runs_to_bound(double size) const {
  return static_cast<int>(std::ceil(runs_ * std::pow(kNormal95 * comparison_.error / size, 2)));
}

std::vector<Request> Ends::next(const Samples& samples, const std::vector<Run>& log, const Line& line,
                                int parallel) const {
  if (verdict_ != EndsFound::Verdict::open) return {};
  const int first = samples.begin()->first;
  const int last = samples.rbegin()->first;
  const std::size_t before = samples.begin()->second.size();
  const std::size_t after = samples.rbegin()->second.size();
  const int latest = log.empty() ? -1 : log.back().unit;
  std::vector<int> units{first, last};
  if (before > after || (before == after && before % 2 == 1)) std::swap(units.front(), units.back());
  if (before != after) units.resize(1);
  const std::size_t runs = latest == first ? before : latest == last ? after : 0;
  if (together_ && runs > 0 && (before == after || runs % kLeastRuns != 0)) units = {latest};
  if (parallel > 1) {  // as many of each as are likely to tell
    const int wanted = std::clamp(runs_to_tell(), 2, parallel);
    units.clear();
    for (int run = 0; run < wanted; ++run) units.push_back((before <= after) == (run % 2 == 0) ? first : last);
  }
  std::vector<Request> requests;
  for (const int unit : units)
    if (static_cast<int>(requests.size()) < parallel && !line.given_up(unit))
      requests.push_back({unit, Reason::ends, first, last, 0});
  return requests;
}

std::vector<int> bisect(const Line& line, const Samples& samples, int count) {
  const Bisection change(line, samples);
  if (!change.fits()) return {};
  // The place is known where no unit that could still be run lies between two that almost surely are on its sides.
  int lo = change.first;
  int hi = change.last;
  for (const auto& [unit, ys] : samples) {
    if (change.before(unit) <= (1 - kKnown) / 2) lo = unit;
    if (change.before(unit) >= 1 - (1 - kKnown) / 2 && hi == change.last) hi = unit;
  }
  const auto after = samples.upper_bound(lo);
  if (line.untested(lo, hi) == 0 && (after == samples.end() || after->first >= hi)) return {};
  if (count > 1)
    if (std::vector<int> units = change.cuts(lo, hi, count); !units.empty()) return units;
  int best = -1;
  double most = 0;
  for (int unit = lo; unit <= hi; ++unit) {
    const double value = binary_entropy(change.before(unit)) * (1 - line.chance_of_failure(unit));
    if (change.is_open(unit) && value > most) most = value, best = unit;
  }
  return best < 0 ? std::vector<int>{} : std::vector<int>{best};
}

}  // namespace reg::search
