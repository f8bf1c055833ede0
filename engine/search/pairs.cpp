#include "engine/search/pairs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace reg::search {
namespace {

// A run of another place may come between the two: the check of the good end where a search goes on after a break.
constexpr std::size_t kApart = 2;
constexpr double kMost = 2.2;  // of one pair, so that a single outlier decides nothing
constexpr double kDenied = -4.5;

// What the pairs say: how much likelier they are under a change by `size` than under none, as a logarithm.
struct Votes {
  double sum = 0;
  std::optional<std::size_t> half;  // in the log: the run of one side that waits for the other
};

double vote(const Evidence& evidence, const Gap& gap, const Run& a, const Run& b, double size) {
  const auto value = [&](const Run& run) { return evidence.samples.at(run.unit)[run.number]; };
  const double seen = (a.unit == gap.lo ? value(b) - value(a) : value(a) - value(b)) * (size < 0 ? -1 : 1);
  const Noise& noise = evidence.noise;
  const double variance = 2 * (std::pow(noise.run, 2) + std::pow(std::max(noise.build, kBuilds), 2));
  return std::clamp((seen - std::fabs(size) / 2) * std::fabs(size) / variance, -kMost, kMost);
}

Votes votes_on(const Evidence& evidence, const Gap& gap, double size) {
  Votes votes;
  const std::vector<Run>& log = evidence.log;
  for (std::size_t k = 0; k < log.size(); ++k) {
    if (votes.half && k - *votes.half > kApart) votes.half.reset();
    if (log[k].failed || (log[k].unit != gap.lo && log[k].unit != gap.hi)) continue;
    if (!votes.half || log[*votes.half].unit == log[k].unit || log[*votes.half].machine != log[k].machine) {
      votes.half = k;
      continue;
    }
    votes.sum += vote(evidence, gap, log[*votes.half], log[k], size);
    votes.half.reset();
  }
  if (votes.half && log.size() - *votes.half > kApart) votes.half.reset();
  return votes;
}

}  // namespace

Believed believed(const Evidence& evidence, const Gap& gap, double size) {
  const Votes votes = votes_on(evidence, gap, size);
  return votes.sum > 0 ? Believed::yes : votes.sum <= kDenied ? Believed::no : Believed::not_yet;
}

std::vector<Request> missing_of_pair(const Evidence& evidence, const Gap& gap) {
  const Votes votes = votes_on(evidence, gap, 1);
  const auto run_of = [&](int unit) { return Request{unit, Reason::confirm, gap.lo, gap.hi, gap.p}; };
  if (!votes.half) return {run_of(gap.lo), run_of(gap.hi)};
  return {run_of(evidence.log[*votes.half].unit == gap.lo ? gap.hi : gap.lo)};
}

}  // namespace reg::search
