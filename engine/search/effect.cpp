#include "engine/search/effect.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

// With builds that scatter by this part of the effect, a step of just that effect is seen at the wrong place one time
// in five, however often each build is run.
constexpr double kBuildsHide = 0.6;
constexpr double kQuietRuns = 1.0 / 3;  // runs must be that quiet beside the effect, or it is their noise that hides it
// A change is looked for down to this multiple of the noise, and down to 0.3 %: builds of one program differ by that
// much, and who asks for less says so.
constexpr double kUntold = 2.1;
constexpr double kLeast = 0.0029955;  // the logarithm of 1.003
constexpr int kBase = 6;

}  // namespace

double runs_to_tell(double effect, double noise) { return std::max(1.0, 4.5 * std::pow(noise / effect, 2)); }

Wanted wanted_effect(const Question& question, double named, double exclude, double run, double build) {
  const double allowed = std::max(kUntold * std::hypot(run, build), kLeast);
  const double size = named > 0 ? named : exclude;
  if (size <= 0) return {allowed, false};
  if (question.kind != Kind::noisy) return {size, true};
  // As measured over noises of 0.1 to 2 effects (tests/search): the bits of a level's place and of its being there,
  // each at the price of telling two levels apart.
  const bool too_noisy = (std::log2(question.n) + kBase) * runs_to_tell(size, run) > question.budget;
  const bool builds_hide = build > kBuildsHide * size && run < kQuietRuns * size;
  if ((too_noisy || builds_hide) && allowed > size) return {allowed, false};
  return named > 0 ? Wanted{named, true} : Wanted{std::min(allowed, exclude), false};
}

int runs_to_exclude(double effect, double noise) {
  return static_cast<int>(std::ceil(kBase + 48 * std::pow(noise / effect, 2)));
}

}  // namespace reg::search
