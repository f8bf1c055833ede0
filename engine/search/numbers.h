#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "engine/search/line.h"

// From the numbers as they were told to levels that can be compared: on one scale, as of one machine.

namespace reg::search {

/// What was seen, by unit: logarithms of a metric, 0 and 1 of a flaky test.
using Samples = std::map<int, std::vector<double>>;

/// Of all numbers: those that the noise doesn't explain. They may be anything; this is how dense they are, per unit of
/// the logarithm.
inline constexpr double kOutliers = 0.03;
inline constexpr double kOutlierDensity = 2;

/// One run of the log, which has them in their order.
struct Run {
  int unit = 0;
  int machine = 0;
  std::optional<double> value;  ///< as in the samples; none: it failed
};

/// The step of the numbers that a program prints rounded, 0.001 for "0.101" s, where there is noise: runs of one unit
/// differ. 0 elsewhere, as nothing tells rounded numbers from exact ones.
double rounding_of(const Samples& told);

/// What was cut off by rounding, in steps, from -0.5 to 0.5, as the k-th run of a unit may have had it. With it the
/// scatter of rounded numbers is what it is; without it those that are equal look as if there were no noise. The same
/// for the same run, and spread evenly over the runs of a unit.
double cut_off(int unit, std::size_t k);

/// Between what was told and what the mathematics sees. Relative changes of a positive metric are differences of
/// logarithms; where a metric was zero or negative they are parts of its usual size. Other kinds are as they are.
class Scale {
 public:
  Scale() = default;
  Scale(Kind kind, const Samples& told);

  double inward(double told) const;
  Estimate outward(const Estimate& level) const;
  /// A difference of two levels as a part of the one before.
  Estimate effect(const Estimate& difference, double before) const;
  /// Of an effect as the question names it.
  double inward_effect(double effect) const;

 private:
  enum class Form { as_is, logarithm, of_usual };
  Form form_ = Form::as_is;
  double usual_ = 1;
};

double median(std::vector<double> values);

inline Estimate around(double value, double half) { return {value, value - half, value + half}; }

constexpr double kNormal95 = 1.96;

/// The quantile of Student's t below which 97.5 % lie: half of a 95 % interval in standard errors that were estimated
/// with this many degrees of freedom. Source: Abramowitz and Stegun, 26.7.5.
double student_95(double freedom);

/// How runs of one subject scatter around its level: the standard deviation of the bulk of them, which a slow tail or
/// a burst of load does not widen, and the degrees of freedom that it rests on.
struct Scatter {
  double sigma = 0;
  double freedom = 0;

  /// Standard error of the level of so many runs.
  double error(std::size_t runs) const;
};

/// Of all runs together, each beside those of its own unit. Source: Shamos's estimator, the median distance of pairs.
Scatter scatter_of(const Samples& samples);

/// How much more the runs near two levels scatter than all of them do, 1 at least, and the degrees of freedom of that.
/// Noise that does not grow with the numbers is large beside small ones: where a change is larger than a factor of two,
/// its quieter side says little of the other.
struct Louder {
  double factor = 1;
  double freedom = 0;
};

Louder louder_near(const Samples& samples, double a, double b);

/// The level of runs: Huber's estimate of location, for which a run far off counts as one that is 1.5 sigma off.
/// Source: Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics 35 (1964).
double bulk_of(const std::vector<double>& ys, double sigma);

/// How far two levels are apart by their runs alone, on the scale of the mathematics.
struct Comparison {
  double difference = 0;  ///< of the second level beyond the first
  double error = 0;       ///< its standard error
  double freedom = 0;

  /// In standard errors, with the sign of the difference, as they would count had the noise been known: few runs say
  /// less. Source: Wallace, "Bounds on normal approximations to Student's and the chi-square distributions", Annals of
  /// Mathematical Statistics 30 (1959).
  double sigmas() const;
  /// With its 95 % interval.
  Estimate estimate() const;
};

Comparison compare(const std::vector<double>& a, const std::vector<double>& b, const Scatter& scatter);

/// The runs of two units of which one followed the other on one machine, with at most one run of something else between
/// them. Load that lasts for some runs is in both of a pair.
struct Pairs {
  std::vector<double> rises;  ///< from unit `lo` to unit `hi`
  std::optional<int> single;  ///< the unit that was run last, and waits for the other one
};

Pairs pairs_of(const std::vector<Run>& log, int lo, int hi);

/// How the numbers of several machines compare. One machine is as much faster or slower than another as it is at the
/// units that both ran; without such units nothing is known about it, and its numbers say nothing beside the others'.
struct Machines {
  /// By machine: what its numbers lie above those of the machine with most of them. None: not known.
  std::vector<std::optional<double>> offsets;
  /// By machine whose offset is not known: a unit that it ran and the others should run, or -1 where none can be.
  std::vector<int> to_link;
};

/// Of the samples of each machine, on the scale of the mathematics. `latest`: the machine that runs now; the others are
/// compared with it.
Machines compare_machines(const std::vector<Samples>& of, int latest, const Line& line);

}  // namespace reg::search
