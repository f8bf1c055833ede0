#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/search/evidence.h"

namespace reg::search {
namespace {

constexpr double kMostOfPair = 2.2;  // of one pair, so that a single outlier decides nothing
constexpr double kConfirmed = 2.0;   // one pair of a change of 3 times the noise, more of a smaller one
constexpr double kDenied = -4.5;
constexpr std::size_t kFailures = 3;  // of the side that failed: by chance in a fifth of its runs, 1 in 125
constexpr std::size_t kPasses = 2;
constexpr double kFar = 0.69;       // a factor of two
constexpr double kOfMedian = 1.48;  // makes the median distance from a level the standard deviation
// A single run says little: a unit that looks odd is run until it looks like the others, or like a change. Where the
// effect is told, a single run far off is enough to ask once.
constexpr double kOddTold = 3.5;  // standard deviations
constexpr double kOddUntold = 2.2;
constexpr std::size_t kRunsOfOddTold = 1;
constexpr std::size_t kRunsOfOddUntold = 3;

// A segment is a row of units without a change between them: [begin, end) among the units that were run.
struct Segment {
  std::size_t begin, end;
};

std::vector<Segment> segments_of(const std::vector<Gap>& gaps) {
  std::vector<Segment> segments;
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= gaps.size(); ++k) {
    if (k < gaps.size() && !gaps[k].likely()) continue;
    segments.push_back({begin, k + 1});
    begin = k + 1;
  }
  return segments;
}

int unit_at(const Evidence& evidence, std::size_t k) {
  return k < evidence.gaps.size() ? evidence.gaps[k].lo : evidence.last();
}

Request about(const Evidence& evidence, std::size_t k, Reason reason) {
  const std::vector<Gap>& gaps = evidence.gaps;
  const int unit = unit_at(evidence, k);
  const int lo = k > 0 ? gaps[k - 1].lo : unit;
  const int hi = k < gaps.size() ? gaps[k].hi : unit;
  const double p = std::max(k > 0 ? gaps[k - 1].p : 0, k < gaps.size() ? gaps[k].p : 0);
  return {unit, reason, lo, hi, p};
}

// The median of all runs of a segment.
double level_of(const Evidence& evidence, const Segment& segment) {
  std::vector<double> all;
  for (std::size_t k = segment.begin; k < segment.end; ++k) {
    const auto& ys = evidence.samples.at(unit_at(evidence, k));
    all.insert(all.end(), ys.begin(), ys.end());
  }
  return median(std::move(all));
}

// How runs scatter near a gap, as if nothing changed there, where another change is larger than a factor of two: noise
// that does not grow with the numbers is large beside small ones, and the noise of all runs says little of it. Else 0.
double noise_near(const Evidence& evidence, std::size_t gap) {
  std::vector<Segment> segments = segments_of(evidence.gaps);
  std::size_t at = 0;
  while (segments[at].end != gap + 1) ++at;
  segments[at].end = segments[at + 1].end;
  segments.erase(segments.begin() + static_cast<long>(at) + 1);
  const double level = level_of(evidence, segments[at]);
  std::vector<double> distances;
  bool any_far = false;
  for (const Segment& segment : segments) {
    const double other = level_of(evidence, segment);
    const bool far = std::fabs(other - level) > kFar;
    any_far = any_far || far;
    for (std::size_t k = segment.begin; k < segment.end && !far; ++k)
      for (const double y : evidence.samples.at(unit_at(evidence, k))) distances.push_back(std::fabs(y - other));
  }
  return any_far ? kOfMedian * median(std::move(distances)) : 0;
}

// The runs that make a pair: of both sides, or of the other one where the run before was of one side.
std::vector<Request> missing_of_pair(const Evidence& evidence, const Gap& gap) {
  const std::optional<int> single = pairs_of(evidence.log, gap.lo, gap.hi).single;
  std::vector<Request> missing;
  for (const int unit : {gap.lo, gap.hi})
    if (unit != single) missing.push_back({unit, Reason::confirm, gap.lo, gap.hi, gap.p});
  return missing;
}

void add_both_sides(const Evidence& evidence, Round& round) {
  std::vector<Request> pairs;
  for (std::size_t k = 0; k < evidence.gaps.size(); ++k) {
    const Gap& gap = evidence.gaps[k];
    if (!gap.likely() || !gap.resolved() || believed(evidence, k) != Believed::not_yet) continue;
    const std::vector<Request> missing = missing_of_pair(evidence, gap);
    // The other half of a pair comes first, before it is too late for it.
    pairs.insert(missing.size() == 1 ? pairs.begin() : pairs.end(), missing.begin(), missing.end());
  }
  for (const Request& side : pairs) round.add(side);
  if (segments_of(evidence.gaps).size() > 1) return;
  // Before "no change" is said both ends are run again: five runs that agree may be five of the same speed.
  for (const std::size_t end : {std::size_t{0}, evidence.gaps.size()})
    if (evidence.runs_of(unit_at(evidence, end)) < 2) round.add(about(evidence, end, Reason::confirm));
}

// The unit furthest from the others of its level: an outlier, a build of its own, or a dip that only this unit saw.
std::optional<Request> odd_one(const Evidence& evidence) {
  const Wanted wanted = wanted_of(evidence);
  const std::size_t enough = wanted.told ? kRunsOfOddTold : kRunsOfOddUntold;
  const double spread = std::hypot(evidence.noise.run, std::max(evidence.noise.build, wanted.told ? 0 : kBuilds));
  double furthest = wanted.told ? std::max(wanted.effect, kOddTold * spread) : kOddUntold * spread;
  std::optional<Request> found;
  for (const Segment& segment : segments_of(evidence.gaps)) {
    const double level = level_of(evidence, segment);
    for (std::size_t k = segment.begin; k < segment.end; ++k) {
      const Request request = about(evidence, k, Reason::odd_one);
      const auto& ys = evidence.samples.at(request.place);
      const double off = std::fabs(bulk_of(ys, spread) - level);
      if (off <= furthest || ys.size() > enough) continue;
      furthest = off;
      found = request;
    }
  }
  return found;
}

// Between the two sides of a change: what crashed once may run the second time, and then the answer is narrower.
void add_crashed(const Evidence& evidence, Round& round) {
  for (const Gap& gap : evidence.gaps) {
    if (!gap.likely()) continue;
    const int unit = evidence.line.crash_between(gap.lo, gap.hi);
    if (unit >= 0) round.add({unit, Reason::retry, gap.lo, gap.hi, gap.p});
  }
}

// Whether a unit was run too few times to tell that its result is not chance.
bool may_be_chance(const std::vector<double>& ys) { return ys.size() < (ys.front() > 0 ? kFailures : kPasses); }

// A pass and a failure, each once, may both be chance: the side that failed first, as it is likelier to.
void add_chances(const Evidence& evidence, Round& round) {
  for (const Gap& gap : evidence.gaps) {
    if (!gap.likely() || !gap.resolved()) continue;
    for (const int unit : {gap.hi, gap.lo})
      if (may_be_chance(evidence.samples.at(unit))) round.add({unit, Reason::chance, gap.lo, gap.hi, gap.p});
  }
}

}  // namespace

double size_of(const Evidence& evidence, std::size_t k) {
  const std::vector<Segment> segments = segments_of(evidence.gaps);
  std::size_t at = 0;
  while (segments[at].end != k + 1) ++at;
  return level_of(evidence, segments[at + 1]) - level_of(evidence, segments[at]);
}

Believed believed(const Evidence& evidence, std::size_t k) {
  const Gap& gap = evidence.gaps[k];
  const double size = size_of(evidence, k);
  const double build = std::max(evidence.noise.build, kBuilds);
  const double run = std::max(evidence.noise.run, noise_near(evidence, k));
  const double variance = 2 * (std::pow(run, 2) + std::pow(build, 2));
  // How much likelier the pairs are under a change by `size` than under none, as a logarithm.
  double sum = 0;
  for (const double rise : pairs_of(evidence.log, gap.lo, gap.hi).rises)
    sum += std::clamp((rise - size / 2) * size / variance, -kMostOfPair, kMostOfPair);
  return sum >= kConfirmed ? Believed::yes : sum <= kDenied ? Believed::no : Believed::not_yet;
}

std::vector<Request> doubtful_ends(const Question& question, const Line& line, const Samples& samples) {
  Round round(line, question.parallel);
  const int last = line.units() - 1;
  if (question.kind != Kind::exact || !question.chance || !question.ends) return {};
  for (const int end : {0, last})
    if (const auto runs = samples.find(end); runs != samples.end())
      if ((runs->second.front() > 0) == (end == 0) && may_be_chance(runs->second))
        round.add({end, Reason::chance, 0, last, 0});
  return round.requests();
}

std::vector<Request> confirmations(const Evidence& evidence) {
  Round round(evidence.line, evidence.question.parallel);
  add_crashed(evidence, round);
  if (evidence.question.kind == Kind::exact) {
    if (evidence.question.chance) add_chances(evidence, round);
  } else {
    if (evidence.noisy()) add_both_sides(evidence, round);
    if (round.empty())
      if (const std::optional<Request> odd = odd_one(evidence)) round.add(*odd);
  }
  return round.requests();
}

}  // namespace reg::search
