#include "engine/search/direct.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reg::search {
namespace {

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

std::size_t runs_of(const Samples& samples, int unit) {
  const auto runs = samples.find(unit);
  return runs == samples.end() ? 0 : runs->second.size();
}

}  // namespace

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
  loud_.clear();
  for (std::size_t k = 0; k + 1 < units_.size(); ++k) {
    gaps_.push_back(gap_of(line_, units_[k], units_[k + 1]));
    if (line_.units() <= kFew)
      loud_.push_back(louder_near(samples, median(samples.at(units_[k])), median(samples.at(units_[k + 1]))));
  }
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
  Comparison step;
  if (pairs == pairs_.end()) {
    step = step_at(gap, gap + 1, gap + 2);
  } else {
    const Scatter scatter = agreeing(gap) < kMustAgree ? scatter_of({*pairs}) : of_pairs_;
    step = {bulk_of(pairs->second, scatter.sigma), scatter.error(pairs->second.size()), scatter.freedom};
  }
  if (loud_.size() <= gap) return step;
  return {step.difference, step.error * loud_[gap].factor, std::min(step.freedom, loud_[gap].freedom)};
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
