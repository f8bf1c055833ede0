#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "engine/search/direct.h"
#include "engine/search/evidence.h"

namespace reg::search {
namespace {

// Parts of the error allowed, where the model is not the world: with each change there is more to be wrong about.
constexpr double kAimForNone = 0.4;
constexpr double kAimForNoneUntold = 0.8;  // there are more sizes to be wrong about, and most of them are small
constexpr double kAim = 0.5;
constexpr double kAimAChange = 0.17;
// Of a flaky test the model is the world.
constexpr double kAimFlakyNone = 0.5;
constexpr double kWorthASlot = 0.05;  // bits
constexpr int kSettled = 20;          // runs
constexpr double kCounts = 0.125;     // of the largest change: smaller ones that the noise hides do not count
constexpr double kSureOf = 0.95;      // of each change

constexpr double kSplit = 0.97;  // a change in this gap needs no second opinion: its middle is run
constexpr double kDoubt = 0.2;
constexpr double kWorthARun = 1e-3;           // bits: below, the numbers have said what they can
constexpr double kBeside = 0.6;               // of what the best run tells: others are made beside it
constexpr double kWorthAPart = 0.004;         // of what is left to be said: below, hundreds of runs would not do
constexpr std::size_t kPlacesToSayThat = 12;  // fewer may be a few steps in a row that look like scattering builds
constexpr std::size_t kRepeatsToSplit = 8;    // of a place beside an open gap: then the gap is looked into instead
constexpr std::size_t kGapsLookedAt = 3;
constexpr std::size_t kGapsMost = 6;
constexpr int kFewBuilds = 16;        // all of them can be measured several times
constexpr std::size_t kTogether = 4;  // runs of a build

// Several at once: each slot to the gap where one more cut tells most, and the gaps cut into equal parts.
void add_cuts(const Evidence& evidence, Round& round) {
  std::vector<int> slots(evidence.gaps.size(), 0);
  for (int k = 0; k < evidence.question.parallel; ++k) {
    double best = kWorthASlot;
    std::size_t at = slots.size();
    for (std::size_t g = 0; g < slots.size(); ++g) {
      if (slots[g] >= evidence.gaps[g].untested) continue;
      const double gain = evidence.gaps[g].p * std::log2((slots[g] + 2.0) / (slots[g] + 1.0));
      if (gain > best) best = gain, at = g;
    }
    if (at == slots.size()) break;
    ++slots[at];
  }
  for (std::size_t g = 0; g < slots.size(); ++g) {
    const Gap& gap = evidence.gaps[g];
    int from = gap.lo;
    for (int left = slots[g]; left > 0; --left) {
      const int x = evidence.line.between(from, gap.hi, 1.0 / (left + 1));
      if (x < 0) break;
      round.add({x, Reason::split, gap.lo, gap.hi, gap.p});
      from = x;
    }
  }
}

// What is left to be said of a gap, in bits: whether a change is in it, and with which unit it came. Of the entropy of
// "no change" only a part counts: gaps beside each other share one change, and their doubts are mostly the same one.
double uncertainty(double p, double bits) {
  if (p <= 1e-12 || p >= 1 - 1e-12) return p * bits;
  return p * bits - p * std::log2(p) - kDoubt * (1 - p) * std::log2(1 - p);
}

double uncertainty(const std::vector<Gap>& gaps, const Shifts& change) {
  double left = 0;
  for (std::size_t k = 0; k < gaps.size(); ++k)
    left += uncertainty(probability(change, k, gaps[k].resolved()), gaps[k].bits);
  return left;
}

// The bits that one run of `x` is expected to remove.
double gain_of(const Evidence& evidence, int x) {
  std::vector<Gap> gaps;  // once x was run as well
  for (const Gap& gap : evidence.gaps) {
    const bool split = gap.lo < x && x < gap.hi;
    gaps.push_back(split ? gap_of(evidence.line, gap.lo, x) : gap);
    if (split) gaps.push_back(gap_of(evidence.line, x, gap.hi));
  }
  double left = uncertainty(evidence.gaps, evidence.posterior->present());
  for (const Posterior::Future& future : evidence.posterior->futures(x))
    left -= future.p * uncertainty(gaps, future.change);
  return left;
}

// What single runs would tell, of those looked at.
struct LookAhead {
  explicit LookAhead(const Evidence& all) : evidence(all) {}

  void at(const Gap& gap) {
    if (!gap.resolved()) at(gap, evidence.line.between(gap.lo, gap.hi), Reason::split);
    for (const int end : {gap.lo, gap.hi})
      if ((gap.resolved() && wanted_of(evidence).told) || evidence.samples.at(end).size() < kRepeatsToSplit)
        at(gap, end, Reason::repeat);
  }

  void at(const Gap& gap, int x, Reason reason) {
    if (x < 0 || evidence.line.given_up(x) || !tried.insert(x).second) return;
    const double bits = gain_of(evidence, x);
    any = std::max(any, bits);
    runs.push_back({bits, {x, reason, gap.lo, gap.hi, gap.p}});
  }

  // The best one, and the others that tell nearly as much.
  std::vector<Request> best() {
    std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Request> requests;
    for (const auto& [bits, request] : runs)
      if (requests.empty() || bits > kBeside * runs.front().first) requests.push_back(request);
    return requests;
  }

  const Evidence& evidence;
  std::set<int> tried;
  double any = 0;
  std::vector<std::pair<double, Request>> runs;  // with their bits
};

// The run from which most is to be learnt, one step ahead, and the next best.
std::vector<Request> best_runs(const Evidence& evidence) {
  const std::vector<Gap>& gaps = evidence.gaps;
  std::vector<std::size_t> order(gaps.size());
  std::iota(order.begin(), order.end(), 0);
  const auto weight = [&](std::size_t k) { return binary_entropy(gaps[k].p) + gaps[k].p * gaps[k].bits; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  const Gap& top = gaps[order[0]];
  const Request middle{evidence.line.between(top.lo, top.hi), Reason::split, top.lo, top.hi, top.p};
  const bool split = top.p > (evidence.posterior == nullptr ? 0.5 : kSplit);
  if (split && !top.resolved()) return {middle};
  if (evidence.posterior == nullptr) return {};

  std::set<std::size_t> first(order.begin(), order.begin() + static_cast<long>(std::min(kGapsLookedAt, order.size())));
  // Where the first, the second, ... change most likely is: on which side of there it lies is the best question.
  double sum = 0;
  int passed = 0;
  LookAhead look(evidence);
  for (std::size_t k = 0; k < gaps.size() && first.size() <= kGapsMost; ++k) {
    const double before = sum;
    sum += gaps[k].p;
    while (sum > passed + 0.5) {
      first.insert(k);
      const double share = std::clamp((passed + 0.5 - before) / gaps[k].p, 0.02, 0.98);
      if (!gaps[k].resolved()) look.at(gaps[k], evidence.line.between(gaps[k].lo, gaps[k].hi, share), Reason::split);
      ++passed;
    }
  }
  for (const std::size_t k : first) look.at(gaps[k]);
  // Where those have nothing more to tell, the others may, many gaps with little doubt each.
  double left = 0;
  for (const Gap& gap : gaps) left += uncertainty(gap.p, gap.bits);
  const double worth = std::max(kWorthARun, kWorthAPart * left);
  for (std::size_t k = 0; k < order.size() && look.any < worth; ++k) look.at(gaps[order[k]]);
  // One run of a flaky test may tell nothing where three would. A rate has no builds to hide behind: they will.
  if (look.any < worth && evidence.question.kind == Kind::noisy) {
    if (evidence.samples.size() >= kPlacesToSayThat || top.resolved()) return {};
    return {middle};
  }
  return look.best();
}

// Whether there are likely changes, and they are sure and add up to the difference of the named ends.
bool explains_ends(const Evidence& evidence) {
  int first = -1;
  int last = -1;
  for (const Gap& gap : evidence.gaps) {
    if (!gap.likely()) continue;
    if (gap.p < kSureOf) return false;
    if (first < 0) first = gap.lo;
    last = gap.hi;
  }
  return first >= 0 && sum_of(evidence, first, last).agrees();
}

// Whether enough was measured to say that there is no other change; also where the budget cannot pay for more.
bool is_claimed(const Evidence& evidence) {
  const bool found =
      std::any_of(evidence.gaps.begin(), evidence.gaps.end(), [](const Gap& g) { return g.p >= kSureOf; });
  if (evidence.ends != nullptr && !explains_ends(evidence)) return false;
  if (found && evidence.question.min_effect == 0) return true;
  const double claim = claim_of(evidence);
  const double times = std::pow(evidence.direct->resolution() / claim, 2);
  return times <= 1 || times * evidence.runs > evidence.question.budget;
}

// The search aims for less than the error allowed. "No change" sends people away, so it has to be surer still.
bool good_enough(const Evidence& evidence) {
  const auto changes =
      std::count_if(evidence.gaps.begin(), evidence.gaps.end(), [](const Gap& g) { return g.likely(); });
  const double none = wanted_of(evidence).told ? kAimForNone : kAimForNoneUntold;
  double aim = changes > 0 ? std::min(1.0, kAim + kAimAChange * static_cast<double>(changes)) : none;
  if (evidence.question.kind == Kind::flaky) aim = changes > 0 ? 1 : kAimFlakyNone;
  if (any_open(evidence.gaps)) return false;
  if (evidence.ends != nullptr) return explains_ends(evidence);
  return expected_error(evidence.gaps) <= aim * evidence.question.max_error || (changes > 0 && is_settled(evidence));
}

// Where named ends differ and no place can be named, the few builds between them in turn, those with the fewest runs
// first. Where going to another one costs a build, several runs of each are made together.
std::vector<Request> least_run(const Evidence& evidence) {
  const bool differ = evidence.ends != nullptr && evidence.ends->differ();
  if (!differ || evidence.line.units() > kFewBuilds || names_place(evidence)) return {};
  const Line& line = evidence.line;
  const auto runs = [&](int unit) { return evidence.samples.count(unit) == 0 ? 0 : evidence.runs_of(unit); };
  int least = -1;
  for (int unit = evidence.first(); unit <= evidence.last(); ++unit)
    if (line.is_open(unit) && (least < 0 || runs(unit) < runs(least))) least = unit;
  if (least < 0) return {};
  const int latest = evidence.log.back().unit;
  if (evidence.question.together && line.is_open(latest) && runs(latest) % kTogether != 0) least = latest;
  return {{least, Reason::round, least, least, 0}};
}

}  // namespace

std::vector<std::size_t> places_that_count(const Evidence& evidence) {
  std::vector<std::size_t> places;
  double largest = 0;
  for (std::size_t k = 0; k < evidence.gaps.size(); ++k) {
    if (evidence.gaps[k].likely()) places.push_back(k);
    if (evidence.gaps[k].p >= kSureOf) largest = std::max(largest, std::fabs(size_of(evidence, k)));
  }
  if (places.empty() || !evidence.noisy() || evidence.posterior == nullptr) return places;
  const std::vector<double> jumps = evidence.posterior->jumps(std::min(sought(evidence), kCounts * largest));
  std::erase_if(places, [&](std::size_t k) { return jumps[k] <= 0.5; });
  return places;
}

// Of a flaky test and of a size that was asked for the model says when it is enough.
bool is_settled(const Evidence& evidence) {
  if (!evidence.noisy() || wanted_of(evidence).told) return false;
  if (evidence.settled < std::max(kSettled, evidence.runs / 2)) return false;
  for (const std::size_t place : places_that_count(evidence))
    if (evidence.gaps[place].p < kSureOf) return false;
  std::vector<bool> said;
  for (const Gap& gap : evidence.gaps) said.push_back(gap.p >= kSureOf);
  return resolution(evidence, said).enough;
}

std::vector<Request> next_round(const Evidence& evidence) {
  if (evidence.direct != nullptr) {
    std::vector<Request> doubtful = evidence.direct->doubtful(evidence.samples);
    if (!doubtful.empty() || is_claimed(evidence)) return doubtful;
    return evidence.direct->round(evidence.samples);
  }
  Round round(evidence.line, evidence.question.parallel);
  if (!good_enough(evidence)) {
    if (evidence.question.parallel > 1) add_cuts(evidence, round);
    const bool cut = !round.empty();
    std::vector<Request> best;
    if (!round.full()) best = best_runs(evidence);
    if (!best.empty()) round.add(best.front());
    // A slot that is left would be idle: what the answer will need anyway, which is not known so early of a flaky test.
    if (!round.empty() && !round.full() && evidence.question.kind != Kind::flaky)
      for (const Request& needed : confirmations(evidence)) round.add(needed);
    if (!cut)
      for (const Request& run : best) round.add(run);
  }
  if (!round.empty()) return round.requests();
  // Also where no single run promises to tell anything: these may.
  std::vector<Request> needed = confirmations(evidence);
  return needed.empty() ? least_run(evidence) : needed;
}

}  // namespace reg::search
