#include "engine/search/policy.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace reg::search {
namespace {

constexpr double kSure = 0.97;
constexpr double kAim = 0.8;
constexpr double kAimForNone = 0.35;
constexpr double kWorthARun = 1e-3;   // bits: below, the numbers have said what they can
constexpr double kWorthAPart = 0.005;  // of what is left to be said: below, hundreds of runs would not do
constexpr std::size_t kGapsLookedAt = 3;
constexpr std::size_t kGapsMost = 6;
constexpr std::size_t kRunsToBelieve = 3;
constexpr double kOddSigmas = 3.5;
constexpr double kWorthASlot = 0.05;  // bits

double uncertainty(double p, double bits) { return binary_entropy(p) + p * bits; }

// What is left to be said, in bits, once `x` was run as well, given how likely changes are then.
double uncertainty_with(const Known& known, const std::vector<double>& change, int x) {
  double sum = 0;
  std::size_t k = 0;
  for (const Gap& gap : known.gaps) {
    if (gap.lo < x && x < gap.hi) {
      sum += uncertainty(change[k], known.line.bits(gap.lo, x));
      sum += uncertainty(change[k + 1], known.line.bits(x, gap.hi));
      k += 2;
    } else {
      sum += uncertainty(change[k++], gap.bits);
    }
  }
  return sum;
}

// The bits that one run of `x` is expected to take off, held against the present; and what of that is no mere drift of
// the futures, which are a few points of a distribution and not centred on the present.
struct Gain {
  double bits = 0;
  double sure = 0;
};

Gain gain_of(const Known& known, int x) {
  std::vector<double> mean;
  double after = 0;
  for (const Posterior::Future& future : known.posterior->futures(x)) {
    mean.resize(future.change.size(), 0);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += future.p * future.change[k];
    after += future.p * uncertainty_with(known, future.change, x);
  }
  Gain gain{-after, -after};
  std::size_t k = 0;
  for (std::size_t g = 0; g < known.gaps.size(); ++g) {
    const Gap& gap = known.gaps[g];
    const bool split = gap.lo < x && x < gap.hi;
    gain.bits += uncertainty(known.posterior->present()[g], gap.bits);
    gain.sure += uncertainty(split ? std::min(1.0, mean[k] + mean[k + 1]) : mean[k], gap.bits);
    k += split ? 2 : 1;
  }
  return gain;
}

// The best single run so far among those looked at.
struct LookAhead {
  explicit LookAhead(const Known& all) : known(all) {}

  void at(const Gap& gap) {
    for (const int x : {gap.resolved() ? -1 : known.line.between(gap.lo, gap.hi), gap.lo, gap.hi}) {
      if (x < 0 || !tried.insert(x).second) continue;
      const Gain gain = gain_of(known, x);
      any = std::max({any, gain.sure, gain.bits});
      if (gain.bits / known.line.cost(x) <= most) continue;
      most = gain.bits / known.line.cost(x);
      best = Request{x, x == gap.lo || x == gap.hi ? Reason::repeat : Reason::split, gap.lo, gap.hi, gap.p};
    }
  }

  const Known& known;
  std::set<int> tried;
  double most = -1e300;  // bits for their cost
  double any = 0;
  Request best;
};

// A round of one: the run from which most is to be learnt for its cost, one step ahead.
std::optional<Request> best_run(const Known& known) {
  const std::vector<Gap>& gaps = known.gaps;
  std::vector<std::size_t> order(gaps.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto weight = [&](std::size_t k) { return uncertainty(gaps[k].p, gaps[k].bits); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  const Gap& top = gaps[order[0]];
  if (top.p > kSure && !top.resolved())
    return Request{known.line.between(top.lo, top.hi), Reason::split, top.lo, top.hi, top.p};
  if (known.posterior == nullptr) return std::nullopt;

  std::set<std::size_t> first(order.begin(), order.begin() + static_cast<long>(std::min(kGapsLookedAt, order.size())));
  double sum = 0;
  double target = 0.5;
  for (std::size_t k = 0; k < gaps.size() && first.size() <= kGapsMost; ++k) {
    for (sum += gaps[k].p; sum > target; target += 1) first.insert(k);
  }
  LookAhead look(known);
  for (const std::size_t k : first) look.at(gaps[k]);
  // Where those have nothing more to tell, the others may, many gaps with little doubt each.
  double left = 0;
  for (const Gap& gap : gaps) left += uncertainty(gap.p, gap.bits);
  const double worth = std::max(kWorthARun, kWorthAPart * left);
  for (std::size_t k = 0; k < order.size() && look.any < worth; ++k) look.at(gaps[order[k]]);
  if (look.any < worth) return std::nullopt;
  return look.best;
}

// A segment is a row of units without a change between them: [begin, end) among the units that were run.
struct Segment {
  std::size_t begin, end;
};

std::vector<Segment> segments_of(const std::vector<Gap>& gaps) {
  std::vector<Segment> segments;
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= gaps.size(); ++k) {
    if (k < gaps.size() && gaps[k].p <= 0.5) continue;
    segments.push_back({begin, k + 1});
    begin = k + 1;
  }
  return segments;
}

Request about(const Known& known, std::size_t k, Reason reason) {
  const std::vector<Gap>& gaps = known.gaps;
  const int unit = k < gaps.size() ? gaps[k].lo : gaps.back().hi;
  const int lo = k > 0 ? gaps[k - 1].lo : unit;
  const int hi = k < gaps.size() ? gaps[k].hi : unit;
  const double p = std::max(k > 0 ? gaps[k - 1].p : 0, k < gaps.size() ? gaps[k].p : 0);
  return {unit, reason, lo, hi, p};
}

std::size_t runs_of(const Known& known, std::size_t k) {
  return known.samples.at(about(known, k, Reason::confirm).place).size();
}

// No claim rests on a level that was seen fewer than three times: two outliers that agree are no rarity in a long
// search.
std::optional<Request> too_few(const Known& known) {
  const std::vector<Segment> segments = segments_of(known.gaps);
  if (segments.size() < 2) return std::nullopt;
  for (const Segment& segment : segments) {
    std::size_t runs = 0;
    std::size_t least = segment.begin;
    for (std::size_t k = segment.begin; k < segment.end; ++k) {
      runs += runs_of(known, k);
      if (runs_of(known, k) < runs_of(known, least)) least = k;
    }
    if (runs < kRunsToBelieve) return about(known, least, Reason::confirm);
  }
  return std::nullopt;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A unit run once, far from the others of its level: an outlier, or a dip that only this unit saw.
std::optional<Request> odd_one(const Known& known) {
  const Posterior::Noise noise = known.posterior->likeliest();
  const double far = std::max(known.question.min_effect, kOddSigmas * std::hypot(noise.run, noise.build));
  double furthest = far;
  std::optional<Request> odd;
  for (const Segment& segment : segments_of(known.gaps)) {
    std::vector<double> all;
    for (std::size_t k = segment.begin; k < segment.end; ++k) {
      const auto& ys = known.samples.at(about(known, k, Reason::odd_one).place);
      all.insert(all.end(), ys.begin(), ys.end());
    }
    const double middle = median(all);
    for (std::size_t k = segment.begin; k < segment.end; ++k) {
      const Request request = about(known, k, Reason::odd_one);
      const auto& ys = known.samples.at(request.place);
      if (ys.size() == 1 && std::fabs(ys[0] - middle) > furthest) {
        furthest = std::fabs(ys[0] - middle);
        odd = request;
      }
    }
  }
  return odd;
}

// Between the two sides of a change: what crashed once may run the second time, and then the answer is narrower.
std::optional<Request> crashed(const Known& known) {
  for (const Gap& gap : known.gaps) {
    if (gap.p <= 0.5) continue;
    const int unit = known.line.crash_between(gap.lo, gap.hi);
    if (unit >= 0) return Request{unit, Reason::retry, gap.lo, gap.hi, gap.p};
  }
  return std::nullopt;
}

// Several at once: each slot to the gap where one more cut tells most, and the gaps cut into equal parts.
std::vector<Request> cuts(const Known& known) {
  std::vector<int> slots(known.gaps.size(), 0);
  for (int k = 0; k < known.question.parallel; ++k) {
    double best = kWorthASlot;
    std::size_t at = slots.size();
    for (std::size_t g = 0; g < slots.size(); ++g) {
      if (slots[g] >= known.gaps[g].untested) continue;
      const double gain = known.gaps[g].p * std::log2((slots[g] + 2.0) / (slots[g] + 1.0));
      if (gain > best) best = gain, at = g;
    }
    if (at == slots.size()) break;
    ++slots[at];
  }
  std::vector<Request> requests;
  for (std::size_t g = 0; g < slots.size(); ++g) {
    const Gap& gap = known.gaps[g];
    int from = gap.lo;
    for (int left = slots[g]; left > 0; --left) {
      const int x = known.line.between(from, gap.hi, 1.0 / (left + 1));
      if (x < 0) break;
      requests.push_back({x, Reason::split, gap.lo, gap.hi, gap.p});
      from = x;
    }
  }
  return requests;
}

// The model is not the world: the search aims for less than the error allowed. "No change" sends people away, so it has
// to be surer still.
bool good_enough(const Known& known) {
  const bool changes = std::any_of(known.gaps.begin(), known.gaps.end(), [](const Gap& gap) { return gap.p > 0.5; });
  const double aim = changes ? kAim : kAimForNone;
  return !any_open(known.gaps) && expected_error(known.gaps) <= aim * known.question.max_error;
}

}  // namespace

std::vector<Request> next_round(const Known& known) {
  if (good_enough(known)) {
    std::optional<Request> last = crashed(known);
    if (!last && known.posterior != nullptr) last = too_few(known);
    if (!last && known.posterior != nullptr) last = odd_one(known);
    return last ? std::vector{*last} : std::vector<Request>{};
  }
  std::vector<Request> round;
  if (known.question.parallel > 1) round = cuts(known);
  if (static_cast<int>(round.size()) < known.question.parallel) {
    const std::optional<Request> best = best_run(known);
    const auto same = [&](const Request& request) { return request.place == best->place; };
    if (best && std::none_of(round.begin(), round.end(), same)) round.push_back(*best);
  }
  return round;
}

}  // namespace reg::search
