#pragma once

#include <vector>

#include "engine/search/direct.h"
#include "engine/search/effect.h"
#include "engine/search/ends.h"
#include "engine/search/gaps.h"
#include "engine/search/posterior.h"
#include "engine/search/scale.h"
#include "engine/search/search.h"

namespace reg::search {

/// What is known when the next round is chosen. There is a posterior where a history is searched by a number with noise
/// or by a failure rate, and `direct` where all of it is measured by such a number.
struct Evidence {
  const Question& question;
  const Line& line;
  const Scale& scale;
  const Samples& samples;
  const std::vector<Gap>& gaps;
  const Posterior* posterior;
  const Direct* direct;
  const Ends* ends;  ///< of a metric with named ends
  Noise noise;       ///< the likeliest; 0 unless a metric
  Noise stated;      ///< what is said of it: after few runs the likeliest is too small
  const std::vector<Run>& log;
  int runs = 0;     ///< so far, with those that failed
  int settled = 0;  ///< of those, since places_that_count() were last other ones
};

/// Builds of the same program differ by that much, as the speed of code depends on where it lies.
inline constexpr double kBuilds = 0.003;

/// What is looked for, under the likeliest noise.
Wanted wanted_of(const Evidence& evidence);

/// The gaps that are likely to hold a change of the size that is sought, or of an eighth of the largest one found if
/// that is less.
std::vector<std::size_t> places_that_count(const Evidence& evidence);

/// Whether half of all runs have not moved one of these, and the resolution is what the noise allows: the other changes
/// cost more than those that were found did, and the answer has their price.
bool is_settled(const Evidence& evidence);

/// The units to run next, at most question.parallel of them; none where the answer is good enough. `place` of a request
/// is a unit here.
std::vector<Request> next_round(const Evidence& evidence);

}  // namespace reg::search
