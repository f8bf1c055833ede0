#include "engine/search/confirm.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr std::size_t kRunsToBelieve = 3;  // on each side of a change
constexpr double kPlain = 0.9;             // how likely the noise has to be plain
constexpr double kEffectOverNoise = 6;     // and how small, to believe single runs
constexpr double kSmall = 1.5;             // smallest effects: a change below is looked at twice as hard
constexpr double kOddSigmas = 3.5;

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

// How likely it is that runs differ by little beside the effect, and by nothing else.
double plain_noise(const Known& known) {
  const double little = known.scale.inward_effect(known.question.min_effect) / kEffectOverNoise;
  double plain = 0;
  for (const Posterior::Noise& noise : known.posterior->noises())
    if (noise.run < little && noise.build == 0 && !noise.two_speeds) plain += noise.weight;
  return plain;
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

// How often both sides of the change in gap k have to be run. Where noise is small beside the effect, one run is a
// measurement. Where it is not, or builds scatter, each side is run again; and twice again where the change is hardly
// larger than the smallest that was asked for: the two speeds of a machine are as far apart, and look like it.
std::size_t runs_wanted(const Known& known, std::size_t k, bool plain) {
  const double size =
      std::fabs(median(known.samples.at(known.gaps[k].hi)) - median(known.samples.at(known.gaps[k].lo)));
  if (size < kSmall * known.scale.inward_effect(known.question.min_effect)) return kRunsToBelieve;
  return plain ? 1 : 2;
}

std::optional<Request> both_sides(const Known& known) {
  const bool plain = plain_noise(known) > kPlain;
  bool any = false;
  for (std::size_t k = 0; k < known.gaps.size(); ++k) {
    if (known.gaps[k].p <= 0.5) continue;
    any = true;
    for (const std::size_t side : {k, k + 1})
      if (runs_of(known, side) < runs_wanted(known, k, plain)) return about(known, side, Reason::confirm);
  }
  if (any) return std::nullopt;
  // Before "no change" is said both ends are run again: five runs that agree may be five of the same speed.
  for (const std::size_t end : {std::size_t{0}, known.gaps.size()})
    if (runs_of(known, end) < 2) return about(known, end, Reason::confirm);
  return std::nullopt;
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

}  // namespace

std::optional<Request> confirmation(const Known& known) {
  std::optional<Request> run = crashed(known);
  if (known.posterior == nullptr) return run;
  if (!run) run = too_few(known);
  if (!run && known.question.kind == Kind::noisy) run = both_sides(known);
  if (!run) run = odd_one(known);
  return run;
}

std::optional<Request> second_run(const Known& known) {
  std::optional<Request> likeliest;
  for (std::size_t k = 0; k <= known.gaps.size(); ++k) {
    const Request request = about(known, k, Reason::repeat);
    if (runs_of(known, k) == 1 && (!likeliest || request.p > likeliest->p)) likeliest = request;
  }
  return likeliest;
}

}  // namespace reg::search
