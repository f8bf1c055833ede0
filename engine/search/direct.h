#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/search/evidence.h"

// What comparisons of runs say by themselves: of two named ends, of the one change between them, and of a history that
// is measured as a whole.

namespace reg::search {

/// The two named ends of a history beside each other, as two commands are compared: in alternation, until they differ
/// or their difference is bounded. Says nothing of what lies between them.
class Ends {
 public:
  /// `margin`: a difference below it does not matter; 0 = kMargin, or what kEnoughOfEnds runs can bound.
  /// `together`: going to the other end costs a build, so three runs of one are made at a time.
  Ends(double margin, bool together) : margin_(margin), together_(together) {}

  /// From all runs so far, of two units at least. Once the ends differ or are the same they stay so.
  void update(const Samples& samples);

  EndsFound::Verdict verdict() const { return verdict_; }
  bool differ() const { return verdict_ == EndsFound::Verdict::differ; }
  const Comparison& comparison() const { return comparison_; }
  /// A size that their difference does not exceed, with 95 % confidence.
  double bound() const;
  /// About how many more of their runs would tell.
  int runs_to_tell() const;
  /// About how many runs of both it takes to bound their difference by `size`.
  int runs_to_bound(double size) const;
  /// The ends to run next, in turn; none once it is known whether they differ.
  std::vector<Request> next(const Samples& samples, const std::vector<Run>& log, const Line& line, int parallel) const;

 private:
  double margin_;
  bool together_;
  EndsFound::Verdict verdict_ = EndsFound::Verdict::open;
  Comparison comparison_;
  int runs_ = 0;
};

/// Where the one change between two ends that differ is, by the runs of two units or more, of which the outermost ones
/// are the ends: the unit where one more run tells most, or `count` of them for runs at the same time,
/// which cut what is open into equally likely parts. Empty where the place is known, or where one change does not
/// explain the runs: those on both sides of the likeliest place are not like those of the ends. The noise has tails, so
/// that no single run decides. Source: noisy binary search, as in Burnashev and Zigangirov, "An interval estimation
/// problem for controlled observations", Problems of Information Transmission 10 (1974).
std::vector<int> bisect(const Line& line, const Samples& samples, int count);

constexpr int kFew = 16;  ///< units of a history that is measured as a whole

/// Whether all of a history of so many units is measured: where they are few, and where somebody asks for it.
bool is_direct(const Question& question, int units);

/// Every unit is measured, and each is compared with the one before it, by runs one right after the other: what a
/// person does with a handful of releases. Load that lasts for some runs is in both of a pair. A difference that
/// repeats is a change of that unit, however others scatter. Many units first fall into rows of one level, as few as
/// explain their runs. Source: Jackson et al., "An algorithm for optimal partitioning of data on an interval", IEEE
/// Signal Processing Letters 12 (2005).
class Direct {
 public:
  /// `least`: changes below this size are not looked for; 0 = what the noise allows.
  /// `together`: going to another unit costs a build, so the runs of one are made together, and levels are compared.
  Direct(const Line& line, int parallel, double least, bool together)
      : line_(line), parallel_(parallel), least_(least), together_(together) {}

  void update(const Samples& samples, const std::vector<Run>& log);

  /// How often each unit is run in the rounds.
  std::size_t in_turn() const { return line_.units() <= kFew ? 3 : 1; }
  const Scatter& scatter() const { return scatter_; }
  /// Between units that were run, with the probability of a change in each.
  const std::vector<Gap>& gaps() const { return gaps_; }

  /// One more run of the units that have the fewest, in their order, so that neighbors are run one after the other.
  /// Empty once each has as many as `most`.
  std::vector<Request> round(const Samples& samples, std::size_t most = SIZE_MAX) const;
  /// More runs of both sides of the change that is the least clear; empty where they would hardly help.
  std::vector<Request> doubtful(const Samples& samples) const;
  /// Smaller changes are not looked for.
  double least() const;
  /// How many runs of the rounds are left.
  int left(const Samples& samples) const;
  /// The size from which on a change between two neighbors would have been found.
  double resolution() const { return resolution_; }

 private:
  double cost(std::size_t from, std::size_t to) const;
  std::vector<std::size_t> rows() const;
  void judge(const std::vector<std::size_t>& starts, std::size_t row);
  void find_pairs(const std::vector<Run>& log);
  double chance(const Comparison& step) const;
  double probability(const Comparison& step) const;
  std::size_t rises(std::size_t gap) const;
  double shown(std::size_t gap) const;
  bool is_refuted(std::size_t gap) const;
  bool is_confirmed(std::size_t gap) const;
  double agreeing(std::size_t gap) const;
  Comparison step_over(std::size_t gap) const;
  Comparison step_at(std::size_t from, std::size_t at, std::size_t to) const;

  const Line& line_;
  int parallel_;
  double least_;
  bool together_;
  Scatter scatter_;
  Scatter of_pairs_;
  std::vector<Louder> loud_;   // of each gap, where there are few units
  Samples pairs_;              // differences over each gap, by its number
  Samples visits_;             // the same of runs that are made in blocks, where one block follows the other
  std::vector<double> steps_;  // of the change that each gap may hold, by the levels on both sides
  int latest_ = -1;            // unit that was run last
  std::vector<int> units_;
  std::vector<double> weight_, sum_, squares_;  // cumulative over units_
  std::vector<Gap> gaps_;
  double resolution_ = 0;
};

}  // namespace reg::search
