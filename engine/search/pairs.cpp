#include "engine/search/pairs.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace reg::search {
namespace {

// A run of another place may come between the two: the check of the good end where a search goes on after a break.
constexpr std::size_t kApart = 2;
// One pair in seven denies a change of three times the noise that is there: two of them would deny one edge in 40.
constexpr int kDenials = 3;
constexpr double kOutlying = 4;  // parts of the noise

struct Votes {
  int shown = 0, denied = 0;
  std::optional<std::size_t> half;  // in the log: the run of one side that waits for the other
};

// What a pair says of a change by `size`; nothing where a run of it is too far off for either answer: an outlier.
std::optional<bool> shows(const Evidence& evidence, const Gap& gap, const Run& a, const Run& b, double size) {
  const auto value = [&](const Run& run) { return evidence.samples.at(run.unit)[run.number]; };
  const double seen = (a.unit == gap.lo ? value(b) - value(a) : value(a) - value(b)) * (size < 0 ? -1 : 1);
  const double beyond = std::max(-seen, seen - std::fabs(size));
  const Posterior::Noise noise = evidence.posterior->likeliest();
  if (beyond > kOutlying * std::sqrt(2) * std::hypot(noise.run, std::max(noise.build, kBuilds))) return std::nullopt;
  return seen >= 0.5 * std::fabs(size);
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
    const std::optional<bool> shown = shows(evidence, gap, log[*votes.half], log[k], size);
    if (shown) ++(*shown ? votes.shown : votes.denied);
    votes.half.reset();
  }
  if (votes.half && log.size() - *votes.half > kApart) votes.half.reset();
  return votes;
}

}  // namespace

Believed believed(const Evidence& evidence, const Gap& gap, double size) {
  const Votes votes = votes_on(evidence, gap, size);
  if (votes.denied >= kDenials) return Believed::no;
  return votes.shown > votes.denied ? Believed::yes : Believed::not_yet;
}

std::vector<Request> missing_of_pair(const Evidence& evidence, const Gap& gap) {
  const Votes votes = votes_on(evidence, gap, 1);
  const auto run_of = [&](int unit) { return Request{unit, Reason::confirm, gap.lo, gap.hi, gap.p}; };
  if (!votes.half) return {run_of(gap.lo), run_of(gap.hi)};
  return {run_of(evidence.log[*votes.half].unit == gap.lo ? gap.hi : gap.lo)};
}

}  // namespace reg::search
