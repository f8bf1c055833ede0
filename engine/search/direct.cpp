#include "engine/search/direct.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

constexpr std::size_t kFreedom = 3;  // of the scatter of repeats, before that counts
constexpr double kPerRow = 4;  // squared standard errors that a row must explain, and for each doubling of the units
constexpr double kPerDoubling = 1.4;
constexpr double kLooks = 10;             // a change is judged after each pair, not once
constexpr double kNothingToTell = 0.995;  // of a change, more runs would tell nothing
constexpr std::size_t kMost = 12;         // runs of a unit: a doubt that is left then is mentioned
constexpr std::size_t kRises = 2;         // from one side to the other, by runs that follow each other
constexpr double kRefute = 0.5;           // of them: if fewer show a change, there is none
constexpr double kConfirm = 0.7;          // if more do, it is one ...
constexpr double kInDoubt = 0.9;          // ... and until then no likelier than that
constexpr double kAgree = 2.5;            // standard deviations of a pair
constexpr double kMustAgree = 0.6;        // of the pairs
constexpr double kLeastShown = 2;         // parts of the noise: smaller changes are reported where they are asked for
constexpr double kShown = 3.5;            // standard errors: a change of that size would have been found
constexpr double kWorthALook = 0.95;      // probability that a difference is not chance

double log_density(double distance, double sigma) {
  const double z = distance / sigma;
  return -(kTailsFreedom + 1) / 2 * std::log1p(z * z / kTailsFreedom);
}

std::size_t runs_of(const Samples& samples, int unit) {
  const auto runs = samples.find(unit);
  return runs == samples.end() ? 0 : runs->second.size();
}

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

Bisection::Bisection(const Line& line, const Samples& samples)
    : line_(line),
      samples_(samples),
      first_(samples.begin()->first),
      last_(samples.rbegin()->first),
      scatter_(scatter_of(samples)) {
  for (int pass = 0; pass < 3; ++pass) {
    const auto level_of = [&](int end, std::vector<double> side) {
      side.insert(side.begin(), samples.at(end).begin(), samples.at(end).end());
      return bulk_of(side, scatter_.sigma);
    };
    const double a = level_of(first_, low_);
    const double b = level_of(last_, high_);
    // Of each place, how much likelier the runs are than if the change had come with the last unit.
    std::vector<double> log_of(static_cast<std::size_t>(line.units()), -1e300);
    double sum = 0;
    double most = -1e300;
    for (int unit = last_; unit > first_; --unit) {
      if (const auto runs = samples.find(unit); runs != samples.end() && unit != last_)
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
    find_sides();
  }
}

void Bisection::find_sides() {
  low_.clear();
  high_.clear();
  for (const auto& [unit, ys] : samples_) {
    if (unit == first_ || unit == last_) continue;
    if (before(unit) < kDecided) low_.insert(low_.end(), ys.begin(), ys.end());
    if (before(unit) > 1 - kDecided) high_.insert(high_.end(), ys.begin(), ys.end());
  }
}

bool Bisection::fits() const {
  const auto like = [&](int end, const std::vector<double>& side) {
    return side.empty() || std::fabs(compare(samples_.at(end), side, scatter_).sigmas()) < kOff;
  };
  return like(first_, low_) && like(last_, high_);
}

std::vector<int> Bisection::cuts(int lo, int hi, int count) const {
  std::vector<int> units;
  for (int cut = 1; cut <= count; ++cut) {
    const double part = static_cast<double>(cut) / (count + 1);
    int best = -1;
    double least = kPart / (count + 1);
    for (int unit = lo; unit <= hi; ++unit) {
      if (line_.failed(unit) || line_.assumed_broken(unit) || line_.given_up(unit)) continue;
      const double away = std::fabs(before(unit) - part);
      if (away < least && std::find(units.begin(), units.end(), unit) == units.end()) least = away, best = unit;
    }
    if (best >= 0) units.push_back(best);
  }
  return units;
}

std::vector<int> Bisection::next(int count) const {
  if (!fits()) return {};
  // The place is known where no unit that could still be run lies between two that almost surely are on its sides.
  int lo = first_;
  int hi = last_;
  for (const auto& [unit, ys] : samples_) {
    if (before(unit) <= (1 - kKnown) / 2) lo = unit;
    if (before(unit) >= 1 - (1 - kKnown) / 2 && hi == last_) hi = unit;
  }
  const auto after = samples_.upper_bound(lo);
  if (line_.untested(lo, hi) == 0 && (after == samples_.end() || after->first >= hi)) return {};
  if (count > 1)
    if (std::vector<int> units = cuts(lo, hi, count); !units.empty()) return units;
  int best = -1;
  double most = 0;
  for (int unit = lo; unit <= hi; ++unit) {
    if (line_.failed(unit) || line_.assumed_broken(unit) || line_.given_up(unit)) continue;
    const double value = binary_entropy(before(unit)) * (1 - line_.chance_of_failure(unit)) / line_.cost(unit);
    if (value > most) most = value, best = unit;
  }
  return best < 0 ? std::vector<int>{} : std::vector<int>{best};
}

bool is_direct(const Question& question, int units) {
  return question.kind == Kind::noisy && units > 1 && (units <= kFew || question.first_look >= question.n);
}

void Direct::update(const Samples& samples, const std::vector<Run>& log) {
  units_.clear();
  weight_.assign(1, 0);
  sum_.assign(1, 0);
  squares_.assign(1, 0);
  scatter_ = scatter_of(samples);
  Samples neighbors;  // where each was run once, their differences say how runs scatter
  for (const auto& [unit, ys] : samples) {
    if (!units_.empty()) neighbors[unit] = {samples.at(units_.back()).front(), ys.front()};
    units_.push_back(unit);
  }
  const Scatter between = scatter_of(neighbors);
  const bool few = scatter_.freedom < kFreedom && units_.size() > kFreedom;
  // Units that were run again after the machine drifted scatter by that.
  if (few || (line_.units() > kFew && between.sigma < scatter_.sigma)) scatter_ = between;
  for (const int unit : units_) {
    const auto& ys = samples.at(unit);
    const double level = bulk_of(ys, scatter_.sigma);
    const double weight = std::pow(scatter_.error(ys.size()), -2);
    weight_.push_back(weight_.back() + weight);
    sum_.push_back(sum_.back() + weight * level);
    squares_.push_back(squares_.back() + weight * level * level);
  }
  gaps_.clear();
  for (std::size_t k = 0; k + 1 < units_.size(); ++k) gaps_.push_back(gap_of(line_, units_[k], units_[k + 1]));
  steps_.assign(gaps_.size(), 0);
  find_pairs(log);
  if (line_.units() <= kFew) {
    for (std::size_t k = 0; k < gaps_.size(); ++k) {
      steps_[k] = step_over(k).difference;
      gaps_[k].p = probability(step_over(k));
    }
  } else {
    const std::vector<std::size_t> starts = rows();
    for (std::size_t row = 1; row + 1 < starts.size(); ++row) judge(starts, row);
  }
  for (std::size_t k = 0; k < gaps_.size(); ++k) {
    if (is_refuted(k)) gaps_[k].p = 0;
    if (line_.units() > kFew && rises(k) >= kRises && !is_confirmed(k)) gaps_[k].p = std::min(gaps_[k].p, kInDoubt);
  }
  resolution_ = 0;
  for (std::size_t k = 0; k + 1 < units_.size(); ++k)
    if (gaps_[k].p < 0.5) resolution_ = std::max({resolution_, least(), kShown * step_over(k).error});
}

void Direct::find_pairs(const std::vector<Run>& log) {
  pairs_.clear();
  latest_ = log.empty() ? -1 : log.back().unit;
  for (std::size_t k = 0; k < gaps_.size(); ++k)
    if (Pairs pairs = pairs_of(log, gaps_[k].lo, gaps_[k].hi); !pairs.rises.empty())
      pairs_[static_cast<int>(k)] = std::move(pairs.rises);
  of_pairs_ = scatter_of(pairs_);
  visits_.clear();
  if (together_) std::swap(visits_, pairs_);
  if (together_ || of_pairs_.freedom < kFreedom) of_pairs_ = {std::sqrt(2.0) * scatter_.sigma, scatter_.freedom};
}

// The part of the pairs of a gap that agree with each other; the rest are outliers, or a burst of load began between
// two.
double Direct::agreeing(std::size_t gap) const {
  const auto pairs = pairs_.find(static_cast<int>(gap));
  if (pairs == pairs_.end()) return 1;
  const double level = bulk_of(pairs->second, of_pairs_.sigma);
  const auto agree = std::count_if(pairs->second.begin(), pairs->second.end(),
                                   [&](double rise) { return std::fabs(rise - level) <= kAgree * of_pairs_.sigma; });
  return static_cast<double>(agree) / static_cast<double>(pairs->second.size());
}

std::size_t Direct::rises(std::size_t gap) const {
  return runs_of(together_ ? visits_ : pairs_, static_cast<int>(gap));
}

// Of the rises over a gap, the part that shows the step of the levels as well. Where the machine drifts, levels differ
// that were measured apart in time, and runs that follow each other do not.
double Direct::shown(std::size_t gap) const {
  const std::vector<double>& all = (together_ ? visits_ : pairs_).at(static_cast<int>(gap));
  const double half = steps_[gap] / 2;
  const auto show =
      std::count_if(all.begin(), all.end(), [&](double rise) { return half > 0 ? rise >= half : rise <= half; });
  return static_cast<double>(show) / static_cast<double>(all.size());
}

// Of a few units, the pairs are what the step was taken from.
bool Direct::is_refuted(std::size_t gap) const {
  return (together_ || line_.units() > kFew) && rises(gap) >= kRises && shown(gap) < kRefute;
}

bool Direct::is_confirmed(std::size_t gap) const {
  const std::size_t count = rises(gap);
  if (line_.units() > kFew) return count >= kRises && shown(gap) > kConfirm;
  // Where not all pairs show it, one more than made the change likely has to: outliers may agree.
  return together_ ? count >= kRises : count > in_turn() || (count == in_turn() && agreeing(gap) == 1);
}

Comparison Direct::step_over(std::size_t gap) const {
  const auto pairs = pairs_.find(static_cast<int>(gap));
  if (pairs == pairs_.end()) return step_at(gap, gap + 1, gap + 2);
  const Scatter scatter = agreeing(gap) < kMustAgree ? scatter_of({*pairs}) : of_pairs_;
  return {bulk_of(pairs->second, scatter.sigma), scatter.error(pairs->second.size()), scatter.freedom};
}

// Between the units [from, at) as one row and those of [at, to).
Comparison Direct::step_at(std::size_t from, std::size_t at, std::size_t to) const {
  const double before = weight_[at] - weight_[from];
  const double after = weight_[to] - weight_[at];
  return {(sum_[to] - sum_[at]) / after - (sum_[at] - sum_[from]) / before, std::sqrt(1 / before + 1 / after),
          scatter_.freedom};
}

// The probability of so large a difference by chance alone; 1 of one that is too small to count.
double Direct::chance(const Comparison& step) const {
  return std::fabs(step.difference) < least() ? 1 : std::erfc(std::fabs(step.sigmas()) / std::sqrt(2.0));
}

// Of a change, one of as many as there are gaps.
double Direct::probability(const Comparison& step) const {
  return std::max(0.0, 1 - kLooks * static_cast<double>(gaps_.size()) * chance(step));
}

// Of the units [from, to) as one row: the squared distances of their levels from its, in standard errors.
double Direct::cost(std::size_t from, std::size_t to) const {
  const double weight = weight_[to] - weight_[from];
  const double sum = sum_[to] - sum_[from];
  return std::max(0.0, squares_[to] - squares_[from] - sum * sum / weight);
}

// Where the rows begin, and at last the number of units.
std::vector<std::size_t> Direct::rows() const {
  const std::size_t n = units_.size();
  const double price = kPerRow + kPerDoubling * std::log2(static_cast<double>(n));
  std::vector<double> least(n + 1, 0);
  std::vector<std::size_t> begins(n + 1, 0);
  for (std::size_t to = 1; to <= n; ++to) {
    least[to] = 1e300;
    for (std::size_t from = 0; from < to; ++from) {
      const double total = least[from] + cost(from, to) + (from > 0 ? price : 0);
      if (total < least[to]) least[to] = total, begins[to] = from;
    }
  }
  std::vector<std::size_t> starts{n};
  while (starts.back() > 0) starts.push_back(begins[starts.back()]);
  std::reverse(starts.begin(), starts.end());
  return starts;
}

// How sure the change is with which the row begins, and at which of the units of both rows it is.
void Direct::judge(const std::vector<std::size_t>& starts, std::size_t row) {
  const std::size_t from = starts[row - 1];
  const std::size_t at = starts[row];
  const std::size_t to = starts[row + 1];
  const double sure = probability(step_at(from, at, to));
  std::vector<double> places;
  double total = 0;
  for (std::size_t k = from + 1; k < to; ++k) {
    places.push_back(std::exp((cost(from, at) + cost(at, to) - cost(from, k) - cost(k, to)) / 2));
    total += places.back();
  }
  for (std::size_t k = from + 1; k < to; ++k) {
    const double p = sure * places[k - from - 1] / total;
    if (p <= gaps_[k - 1].p) continue;
    gaps_[k - 1].p = p;
    steps_[k - 1] = step_at(from, at, to).difference;
  }
}

double Direct::least() const {
  return least_ > 0 ? least_ : std::max(kLeastEffect, kLeastShown * of_pairs_.sigma / std::sqrt(2.0));
}

std::vector<Request> Direct::round(const Samples& samples, std::size_t most) const {
  const auto open = [&](int unit) {
    const bool again = line_.crashed_once(unit) && !samples.empty();
    return !line_.given_up(unit) && (!line_.failed(unit) || again) && !line_.assumed_broken(unit);
  };
  std::size_t least = most;
  for (int unit = 0; unit < line_.units(); ++unit)
    if (open(unit)) least = std::min(least, runs_of(samples, unit));
  const std::size_t enough = least == most || (together_ && most <= in_turn()) ? most : least + 1;
  Round round(line_, parallel_);
  for (int unit = 0; unit < line_.units(); ++unit)
    if (open(unit) && runs_of(samples, unit) < enough) round.add({unit, Reason::round, unit, unit, 0});
  return round.requests();
}

int Direct::left(const Samples& samples) const {
  std::size_t left = 0;
  for (int unit = 0; unit < line_.units(); ++unit)
    if (!line_.failed(unit)) left += in_turn() - std::min(in_turn(), runs_of(samples, unit));
  return static_cast<int>(left);
}

std::vector<Request> Direct::doubtful(const Samples& samples) const {
  const Gap* least = nullptr;
  double much = kWorthALook;
  for (std::size_t k = 0; k < gaps_.size(); ++k) {
    const Gap& gap = gaps_[k];
    const std::size_t runs = std::min(runs_of(samples, gap.lo), runs_of(samples, gap.hi));
    const bool known = gap.p >= kNothingToTell && is_confirmed(k);
    if (known || runs >= kMost || (is_refuted(k) && rises(k) > 2 * kRises)) continue;
    const bool of_rows = line_.units() > kFew && gap.likely();  // and its own sides do not show it yet
    const bool lacks = of_rows || (!together_ && (agreeing(k) < kMustAgree || rises(k) < in_turn()));
    const double worth = lacks ? 1 : 1 - chance(step_over(k));
    if (worth > much) much = worth, least = &gap;
  }
  if (least == nullptr) return {};
  std::vector<int> sides{least->lo, least->hi};
  if (latest_ == least->lo) sides = {least->hi};
  const bool is_side = latest_ == least->lo || latest_ == least->hi;
  if (together_ && is_side && (runs_of(samples, latest_) - in_turn()) % 2 == 1) sides = {latest_};  // two of each build
  Round round(line_, parallel_);
  for (const int unit : sides) round.add({unit, Reason::repeat, least->lo, least->hi, least->p});
  return round.requests();
}

}  // namespace reg::search
