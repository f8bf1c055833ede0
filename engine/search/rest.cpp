#include "engine/search/rest.h"

#include <algorithm>
#include <cmath>

#include "engine/search/level.h"

namespace reg::search {
namespace {

constexpr std::size_t kRunsOfAnEnd = 3;  // chance makes one of twenty ends disagree, and further runs take it back
constexpr int kWide = 12;                // parts of the line: narrower gaps are left to the posterior

double apart(const Level& a, const Level& b) { return std::fabs(a.mean - b.mean); }

Request middle_of(const Evidence& evidence, const Gap& gap) {
  return {evidence.line.between(gap.lo, gap.hi), Reason::rest, gap.lo, gap.hi, gap.p};
}

// The end with fewer runs; once both have enough, the gap beside the end that is further from its level.
std::optional<Request> at_ends(const Evidence& evidence, int first, int last) {
  const Gap& front = evidence.gaps.front();
  const Gap& back = evidence.gaps.back();
  if (sum_of(evidence, first, last).agrees()) return std::nullopt;
  const auto runs_of = [&](int unit) { return evidence.samples.at(unit).size(); };
  const bool at_front = runs_of(front.lo) <= runs_of(back.hi);
  const int end = at_front ? front.lo : back.hi;
  const Gap& beside = at_front ? front : back;
  if (runs_of(end) < kRunsOfAnEnd && !evidence.line.given_up(end))
    return Request{end, Reason::rest, beside.lo, beside.hi, beside.p};
  const double off_front = apart(level_of(evidence, front.lo, front.lo), level_of(evidence, front.lo, first));
  const double off_back = apart(level_of(evidence, back.hi, back.hi), level_of(evidence, last, back.hi));
  return middle_of(evidence, off_front > off_back ? front : back);
}

// Of the wide gaps of one level, from unit `first` to unit `last`, the one whose sides differ most.
struct Widest {
  double most = kNormal95;
  std::optional<Request> request;
};

void between(const Evidence& evidence, const Gap& gap, int first, int last, Widest& widest) {
  if (gap.resolved() || gap.hi - gap.lo <= std::max(2, evidence.line.units() / kWide)) return;
  const Level before = level_of(evidence, first, gap.lo);
  const Level after = level_of(evidence, gap.hi, last);
  const double off = apart(before, after) / std::sqrt(before.variance + after.variance);
  if (off <= widest.most) return;
  widest.most = off;
  widest.request = middle_of(evidence, gap);
}

}  // namespace

bool Sum::agrees() const { return std::fabs(ends - found) <= half; }

Sum sum_of(const Evidence& evidence, int first, int last) {
  const int front = evidence.gaps.front().lo;
  const int back = evidence.gaps.back().hi;
  const Level low = level_of(evidence, front, first);
  const Level high = level_of(evidence, last, back);
  const Level first_end = level_of(evidence, front, front);
  const Level last_end = level_of(evidence, back, back);
  // An end is part of its level, which has the smaller variance.
  const double variance =
      std::max(0.0, first_end.variance - low.variance) + std::max(0.0, last_end.variance - high.variance);
  return {high.mean - low.mean, last_end.mean - first_end.mean, kNormal95 * std::sqrt(variance)};
}

std::optional<Request> rest(const Evidence& evidence) {
  const std::vector<Gap>& gaps = evidence.gaps;
  const auto changes = [](const Gap& gap) { return gap.p > 0.5; };
  const auto front = std::find_if(gaps.begin(), gaps.end(), changes);
  if (front == gaps.end()) return std::nullopt;
  const auto back = std::find_if(gaps.rbegin(), gaps.rend(), changes);
  if (const std::optional<Request> run = at_ends(evidence, front->lo, back->hi); run && run->place >= 0) return run;
  Widest widest;
  for (auto begin = gaps.begin(); begin != gaps.end();) {
    const auto end = std::find_if(begin, gaps.end(), changes);
    for (auto gap = begin; gap != end; ++gap) between(evidence, *gap, begin->lo, std::prev(end)->hi, widest);
    begin = end == gaps.end() ? end : std::next(end);
  }
  return widest.request && widest.request->place >= 0 ? widest.request : std::nullopt;
}

}  // namespace reg::search
