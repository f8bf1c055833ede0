#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "engine/search/numbers.h"
#include "engine/search/posterior.h"

namespace reg::search {

class Direct;
class Ends;

/// Between two neighboring units that were run.
struct Gap {
  int lo = 0, hi = 0;
  double p = 0;      ///< probability of a change in (lo, hi] that is worth finding; see probability()
  int untested = 0;  ///< units between that could still be run
  double bits = 0;   ///< to say with which of them it came

  bool resolved() const { return untested == 0; }
  bool likely() const { return p > 0.5; }
};

/// Without its probability.
Gap gap_of(const Line& line, int lo, int hi);

/// Of a gap: a change worth finding is looked for. Once it is narrowed down its size is estimated, never tested: a
/// notable change is held against none at all.
double probability(const Shifts& change, std::size_t gap, bool resolved);

/// How many statements of the answer are expected to be wrong: each resolved gap is said to hold a change where that is
/// the likelier thing, and each other gap is said to hold none.
double expected_error(const std::vector<Gap>& gaps);

/// Whether a change is likelier than not in a gap that is not narrowed down.
bool any_open(const std::vector<Gap>& gaps);

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

  bool noisy() const { return question.kind == Kind::noisy; }
  int first() const { return gaps.front().lo; }
  int last() const { return gaps.back().hi; }
  std::size_t runs_of(int unit) const { return samples.at(unit).size(); }
};

/// The level of a row of units that no change parts, and the variance of that.
struct Level {
  double mean = 0;
  double variance = 0;
  std::size_t runs = 0;
};

/// Of the units from first to last that were run, under a noise. Outliers do not count.
Level level_of(const Evidence& evidence, int first, int last, const Noise& noise);
inline Level level_of(const Evidence& evidence, int first, int last) {
  return level_of(evidence, first, last, evidence.noise);
}

inline double distance(const Level& a, const Level& b) { return std::fabs(b.mean - a.mean); }
inline double deviation(const Level& a, const Level& b) { return std::sqrt(a.variance + b.variance); }

/// Located changes must add up to the difference of the two ends, as their own runs give it.
struct Sum {
  double found = 0;  ///< of the changes: from the first level to the last one
  double ends = 0;   ///< from the runs of the first unit to those of the last one
  double half = 0;   ///< of the 95 % interval of what is between the two

  bool agrees() const { return std::fabs(ends - found) <= half; }
};

/// The first level ends with unit `first`, and the last one begins with `last`.
Sum sum_of(const Evidence& evidence, int first, int last);

// --- The sizes of changes: which are looked for, which were excluded, and about how many runs others would take.

/// Builds of the same program differ by that much, as the speed of code depends on where it lies.
constexpr double kBuilds = 0.003;
/// Changes below 0.3 % are only looked for where somebody asks for less: the logarithm of 1.003.
constexpr double kLeastEffect = 0.0029955;
constexpr double kClaim = 0.1;  ///< who reads "no change" takes it for less than that

/// The size of the changes that are looked for, as the mathematics sees sizes.
struct Wanted {
  double effect = 0;
  bool told = false;  ///< whether it is the one that the question names
};

/// Under a noise from run to run and from build to build. Without a smallest effect in the question, and where the
/// noise puts that out of the budget's reach, it is what the noise allows: an answer about larger changes is worth more
/// than none. What "no change" must exclude is looked for where that is smaller and within reach.
Wanted wanted_effect(const Question& question, const Scale& scale, double run, double build);

/// The same under the likeliest noise.
Wanted wanted_of(const Evidence& evidence);

/// The largest size that "no change" may leave open: --min-effect, or 10 %.
double claim_of(const Evidence& evidence);

struct Resolution {
  double size = 0;     ///< as the mathematics sees sizes; 0 where nothing can be said
  double wanted = 0;   ///< what was asked for, or what the noise allows
  bool enough = true;  ///< whether it is as small as that
};

/// The size from which on changes are looked for until none is left in doubt: what was asked for, or what the noise
/// allows. Of a noisy question.
double sought(const Evidence& evidence);

/// The smallest size of which it can be said with 95 % confidence that no other lasting change is that large. `said`:
/// of each gap, whether its change is in the answer.
Resolution resolution(const Evidence& evidence, const std::vector<bool>& said);

/// About how many runs it takes to exclude a lasting change of `effect` where nothing changed.
int runs_to_exclude(double effect, double noise);
/// About how many runs more it would take to name the unit in (lo, hi] that a change of `size` came with.
int runs_to_name(const Evidence& evidence, int lo, int hi, double size);

/// Whether the answer would name the place of a change.
bool names_place(const Evidence& evidence);

/// Whether more runs would: they are being made, or the budget ended them.
bool would_help(const Evidence& evidence, bool goes_on);

/// Why the search ended although more could be known, in one sentence without its end; or that it did not end.
std::string open_end(const Evidence& evidence, bool goes_on);

// --- What follows: next_round.cpp, confirm.cpp and answer.cpp.

/// The units to run next, at most question.parallel of them; none where the answer is good enough. `place` of a request
/// is a unit here.
std::vector<Request> next_round(const Evidence& evidence);

/// The gaps that are likely to hold a change of the size that is sought, or of an eighth of the largest one found if
/// that is less.
std::vector<std::size_t> places_that_count(const Evidence& evidence);

/// Whether half of all runs have not moved one of these, and the resolution is what the noise allows: the other changes
/// cost more than those that were found did, and the answer has their price.
bool is_settled(const Evidence& evidence);

/// Runs of named ends that a search by pass and fail makes before all else: of a good end that failed and a bad one
/// that passed, which may be chance.
std::vector<Request> doubtful_ends(const Question& question, const Line& line, const Samples& samples);

/// The runs that an answer still needs before it is given, though the mathematics has enough: what the model leaves out
/// - outliers that agree, a machine with two speeds, a crash that will not come again - is guarded against here.
std::vector<Request> confirmations(const Evidence& evidence);

constexpr std::size_t kRunsToBelieve = 2;  ///< of a level on which a statement rests

/// A change is believed once its two sides, run back to back on one machine, show it: load that lasts for some runs
/// makes two levels out of one, but not of two runs in a row. Where the first pair disagrees, two of three must show
/// it, or three of five; of a change that is small beside the noise it takes more.
enum class Believed { yes, no, not_yet };

/// Of the change that is likely in gap k; and how far the levels on both sides of it are apart, with its sign.
Believed believed(const Evidence& evidence, std::size_t k);
double size_of(const Evidence& evidence, std::size_t k);

/// What can be said now: everything of the answer but the counts of runs. Lines are in units' first and last places.
/// `goes_on`: whether the search asks for more.
Answer answer_from(const Evidence& evidence, bool goes_on);

}  // namespace reg::search
