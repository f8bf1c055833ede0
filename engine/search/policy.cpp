#include "engine/search/policy.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/search/confirm.h"
#include "engine/search/look_ahead.h"
#include "engine/search/resolution.h"
#include "engine/search/rest.h"

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
constexpr double kSureOf = 0.95;      // of each change
constexpr double kCounts = 0.125;     // of the largest change: smaller ones that the noise hides do not count

// Several at once: each slot to the gap where one more cut tells most, and the gaps cut into equal parts.
std::vector<Request> cuts(const Evidence& evidence) {
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
  std::vector<Request> requests;
  for (std::size_t g = 0; g < slots.size(); ++g) {
    const Gap& gap = evidence.gaps[g];
    int from = gap.lo;
    for (int left = slots[g]; left > 0; --left) {
      const int x = evidence.line.between(from, gap.hi, 1.0 / (left + 1));
      if (x < 0) break;
      requests.push_back({x, Reason::split, gap.lo, gap.hi, gap.p});
      from = x;
    }
  }
  return requests;
}

// Whether the changes that are likely are sure, and add up to the difference of the named ends.
bool explains_ends(const Evidence& evidence) {
  int first = -1;
  int last = -1;
  for (const Gap& gap : evidence.gaps) {
    if (gap.p <= 0.5) continue;
    if (gap.p < kSureOf) return false;
    if (first < 0) first = gap.lo;
    last = gap.hi;
  }
  return sum_of(evidence, first, last).agrees();
}

// Whether what was measured carries the claim that there is no change, or none but those that were found, or where the
// runs that this takes are out of reach.
bool is_claimed(const Evidence& evidence) {
  const bool found =
      std::any_of(evidence.gaps.begin(), evidence.gaps.end(), [](const Gap& g) { return g.p >= kSureOf; });
  if (evidence.ends != nullptr && (!found || !explains_ends(evidence))) return false;
  if (found && evidence.question.min_effect == 0) return true;
  const double claim = claim_of(evidence);
  const double times = std::pow(evidence.direct->resolution() / claim, 2);
  return times <= 1 || times * evidence.runs > evidence.question.budget;
}

// The search aims for less than the error allowed. "No change" sends people away, so it has to be surer still.
bool good_enough(const Evidence& evidence) {
  const auto changes =
      std::count_if(evidence.gaps.begin(), evidence.gaps.end(), [](const Gap& gap) { return gap.p > 0.5; });
  const double none = wanted_of(evidence).told ? kAimForNone : kAimForNoneUntold;
  double aim = changes > 0 ? std::min(1.0, kAim + kAimAChange * static_cast<double>(changes)) : none;
  if (evidence.question.kind == Kind::flaky) aim = changes > 0 ? 1 : kAimFlakyNone;
  if (any_open(evidence.gaps)) return false;
  if (evidence.ends != nullptr) return changes > 0 && explains_ends(evidence);
  return expected_error(evidence.gaps) <= aim * evidence.question.max_error || (changes > 0 && is_settled(evidence));
}

}  // namespace

Wanted wanted_of(const Evidence& evidence) {
  const double named = evidence.scale.inward_effect(evidence.question.min_effect);
  if (evidence.question.kind == Kind::exact) return {named, true};
  const Noise& noise = evidence.noise;
  const double exclude = evidence.scale.inward_effect(evidence.question.exclude);
  return wanted_effect(evidence.question, named, exclude, noise.run, noise.build);
}

std::vector<std::size_t> places_that_count(const Evidence& evidence) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < evidence.gaps.size(); ++k)
    if (evidence.gaps[k].p > 0.5) places.push_back(k);
  if (places.empty() || evidence.question.kind != Kind::noisy || evidence.direct != nullptr) return places;
  double largest = 0;
  for (const std::size_t place : places)
    if (evidence.gaps[place].p >= kSureOf) largest = std::max(largest, std::fabs(size_of(evidence, place)));
  const std::vector<double> jumps = evidence.posterior->jumps(std::min(sought(evidence), kCounts * largest));
  places.erase(std::remove_if(places.begin(), places.end(), [&](std::size_t k) { return jumps[k] <= 0.5; }),
               places.end());
  return places;
}

// Of a flaky test and of a size that was asked for the model says when it is enough.
bool is_settled(const Evidence& evidence) {
  if (evidence.question.kind != Kind::noisy || wanted_of(evidence).told) return false;
  if (evidence.settled < std::max(kSettled, evidence.runs / 2)) return false;
  for (const std::size_t place : places_that_count(evidence))
    if (evidence.gaps[place].p < kSureOf) return false;
  std::vector<bool> said;
  for (const Gap& gap : evidence.gaps) said.push_back(gap.p >= kSureOf);
  return resolution(evidence, said).enough;
}

// Where all was measured: what is in doubt, what confirms a change, and what the claim at the end takes.
std::vector<Request> direct_round(const Evidence& evidence) {
  const Direct& direct = *evidence.direct;
  std::vector<Request> round = direct.doubtful(evidence.samples);
  if (round.empty() && !is_claimed(evidence)) round = direct.another_round(evidence.samples);
  return round;
}

std::vector<Request> next_round(const Evidence& evidence) {
  if (evidence.direct != nullptr) return direct_round(evidence);
  std::vector<Request> round;
  const bool enough = good_enough(evidence);
  if (!enough && evidence.question.parallel > 1) round = cuts(evidence);
  if (!enough && static_cast<int>(round.size()) < evidence.question.parallel) {
    const std::optional<Request> best = best_run(evidence);
    const auto same = [&](const Request& request) { return request.place == best->place; };
    if (best && std::none_of(round.begin(), round.end(), same)) round.push_back(*best);
  }
  // Also where no single run promises to tell anything: these may.
  return round.empty() ? confirmations(evidence) : round;
}

}  // namespace reg::search
