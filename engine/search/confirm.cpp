#include "engine/search/confirm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/search/pairs.h"
#include "engine/search/rest.h"

namespace reg::search {
namespace {

// Of one round: each unit once.
class Round {
 public:
  explicit Round(const Evidence& evidence) : evidence_(evidence) {}

  bool empty() const { return requests_.empty(); }
  bool full() const { return static_cast<int>(requests_.size()) >= evidence_.question.parallel; }
  void add(const Request& request) {
    const auto same = [&](const Request& r) { return r.place == request.place; };
    if (full() || evidence_.line.given_up(request.place)) return;
    if (std::none_of(requests_.begin(), requests_.end(), same)) requests_.push_back(request);
  }
  const std::vector<Request>& requests() const { return requests_; }

 private:
  const Evidence& evidence_;
  std::vector<Request> requests_;
};

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

Request about(const Evidence& evidence, std::size_t k, Reason reason) {
  const std::vector<Gap>& gaps = evidence.gaps;
  const int unit = k < gaps.size() ? gaps[k].lo : gaps.back().hi;
  const int lo = k > 0 ? gaps[k - 1].lo : unit;
  const int hi = k < gaps.size() ? gaps[k].hi : unit;
  const double p = std::max(k > 0 ? gaps[k - 1].p : 0, k < gaps.size() ? gaps[k].p : 0);
  return {unit, reason, lo, hi, p};
}

std::size_t runs_of(const Evidence& evidence, std::size_t k) {
  return evidence.samples.at(about(evidence, k, Reason::confirm).place).size();
}

// No claim rests on a level that was seen in a single run: outliers happen in a long search.
void add_too_few(const Evidence& evidence, Round& round) {
  const std::vector<Segment> segments = segments_of(evidence.gaps);
  if (segments.size() < 2) return;
  for (const Segment& segment : segments) {
    std::size_t runs = 0;
    std::size_t least = segment.begin;
    for (std::size_t k = segment.begin; k < segment.end; ++k) {
      runs += runs_of(evidence, k);
      if (runs_of(evidence, k) < runs_of(evidence, least)) least = k;
    }
    if (runs < kRunsToBelieve) round.add(about(evidence, least, Reason::confirm));
  }
}

// The median of all runs of a segment.
double level_of(const Evidence& evidence, const Segment& segment) {
  std::vector<double> all;
  for (std::size_t k = segment.begin; k < segment.end; ++k) {
    const auto& ys = evidence.samples.at(about(evidence, k, Reason::confirm).place);
    all.insert(all.end(), ys.begin(), ys.end());
  }
  const auto middle = all.begin() + static_cast<long>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

void add_both_sides(const Evidence& evidence, Round& round) {
  bool any = false;
  std::vector<Request> pairs;
  for (std::size_t k = 0; k < evidence.gaps.size(); ++k) {
    const Gap& gap = evidence.gaps[k];
    if (gap.p <= 0.5) continue;
    any = true;
    if (!gap.resolved() || believed(evidence, gap, size_of(evidence, k)) != Believed::not_yet) continue;
    const std::vector<Request> missing = missing_of_pair(evidence, gap);
    // The other half of a pair comes first, before it is too late for it.
    pairs.insert(missing.size() == 1 ? pairs.begin() : pairs.end(), missing.begin(), missing.end());
  }
  for (const Request& side : pairs) round.add(side);
  if (any) return;
  // Before "no change" is said both ends are run again: five runs that agree may be five of the same speed.
  for (const std::size_t end : {std::size_t{0}, evidence.gaps.size()})
    if (runs_of(evidence, end) < 2) round.add(about(evidence, end, Reason::confirm));
}

// A single run says little: a unit that looks odd is run until it looks like the others, or like a change. Where the
// effect is told, a single run far off is enough to ask once.
struct Oddness {
  double sigmas;
  std::size_t runs;
};
constexpr Oddness kOddTold{3.5, 1};
constexpr Oddness kOddUntold{2.2, 3};
constexpr int kAround = 12;  // parts of the line: a wider gap beside an odd unit may hide more of its kind

// The middle of a wide gap on either side of the unit, or -1.
int beside(const Evidence& evidence, const Segment& segment, std::size_t k) {
  const int wide = std::max(2, evidence.line.units() / kAround);
  const auto middle = [&](const Gap& gap) {
    return gap.hi - gap.lo > wide ? evidence.line.between(gap.lo, gap.hi) : -1;
  };
  const int before = k > segment.begin ? middle(evidence.gaps[k - 1]) : -1;
  return before >= 0 || k + 1 >= segment.end ? before : middle(evidence.gaps[k]);
}

double mean_of(const std::vector<double>& ys) {
  return std::accumulate(ys.begin(), ys.end(), 0.0) / static_cast<double>(ys.size());
}

// The unit furthest from the others of its level: an outlier, a build of its own, or a dip that only this unit saw.
std::optional<Request> odd_one(const Evidence& evidence) {
  const Noise& noise = evidence.noise;
  const Wanted wanted = wanted_of(evidence);
  const Oddness odd = wanted.told ? kOddTold : kOddUntold;
  const double build = wanted.told ? noise.build : std::max(noise.build, kBuilds);
  double furthest = std::max(wanted.told ? wanted.effect : 0, odd.sigmas * std::hypot(noise.run, build));
  std::optional<Request> found;
  for (const Segment& segment : segments_of(evidence.gaps)) {
    const double middle = level_of(evidence, segment);
    for (std::size_t k = segment.begin; k < segment.end; ++k) {
      Request request = about(evidence, k, Reason::odd_one);
      const auto& ys = evidence.samples.at(request.place);
      const double distance = std::fabs(mean_of(ys) - middle);
      if (distance <= furthest) continue;
      if (ys.size() > odd.runs) request.place = wanted.told ? -1 : beside(evidence, segment, k);
      if (request.place < 0) continue;
      furthest = distance;
      found = request;
    }
  }
  return found;
}

// Between the two sides of a change: what crashed once may run the second time, and then the answer is narrower.
void add_crashed(const Evidence& evidence, Round& round) {
  for (const Gap& gap : evidence.gaps) {
    if (gap.p <= 0.5) continue;
    const int unit = evidence.line.crash_between(gap.lo, gap.hi);
    if (unit >= 0) round.add({unit, Reason::retry, gap.lo, gap.hi, gap.p});
  }
}

}  // namespace

std::vector<Request> confirmations(const Evidence& evidence) {
  const bool noisy = evidence.question.kind == Kind::noisy;
  Round round(evidence);
  add_crashed(evidence, round);
  if (evidence.question.kind != Kind::exact) {
    add_too_few(evidence, round);
    if (noisy) add_both_sides(evidence, round);
    std::optional<Request> last = round.empty() ? odd_one(evidence) : std::nullopt;
    if (!last && round.empty() && noisy) last = rest(evidence);
    if (last) round.add(*last);
  }
  return round.requests();
}

double size_of(const Evidence& evidence, std::size_t gap) {
  double before = 0;
  double after = 0;
  for (const Segment& segment : segments_of(evidence.gaps)) {
    if (segment.end == gap + 1) before = level_of(evidence, segment);
    if (segment.begin == gap + 1) after = level_of(evidence, segment);
  }
  return after - before;
}

}  // namespace reg::search
