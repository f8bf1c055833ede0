#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/search/search.h"

namespace reg::search {

/// h2(p): bits it takes to say whether something of probability p is so.
double binary_entropy(double p);

/// Units that are broken for one reason: that failed alike, with none between them that ran. Once there are enough of
/// them, what lies between two is assumed to fail as they did.
struct BrokenRange {
  std::vector<int> failed;                   ///< two or more units, in order
  std::vector<std::pair<int, int>> assumed;  ///< the first and the last unit between two of them
};

/// From what each unit failed with; empty for one that ran.
std::vector<BrokenRange> broken_ranges(const std::map<int, std::string>& causes);

/// The places of a question as the units that can be told apart: neighbours of one build are one unit. Knows which
/// units were run, and which cannot be or are assumed not to be. Knows no numbers.
class Line {
 public:
  explicit Line(const Question& question);

  int units() const { return static_cast<int>(first_place_.size()); }
  int unit_of(int place) const { return unit_of_[static_cast<std::size_t>(place)]; }
  int first_place(int unit) const { return first_place_[static_cast<std::size_t>(unit)]; }
  int last_place(int unit) const;

  void mark_run(int unit);
  /// `cause`: what it failed with. Broken units with one cause may be a range of them.
  void mark_failed(int unit, Failure failure, const std::string& cause = {});
  bool was_run(int unit) const { return at(unit).run; }
  bool failed(int unit) const { return !at(unit).run && at(unit).failures > 0; }
  /// Not run, and taken for as broken as those around it.
  bool assumed_broken(int unit) const { return at(unit).assumed && !at(unit).run && !failed(unit); }
  /// How many units of its range failed: 0 for a unit that belongs to none.
  int failed_alike(int unit) const { return at(unit).alike; }
  /// It gave a number, and failed too often since then: it is not repeated.
  bool given_up(int unit) const { return at(unit).run && at(unit).failed_repeats >= kGiveUp; }
  /// It may be run, for the first time or again.
  bool is_open(int unit) const { return !failed(unit) && !assumed_broken(unit) && !given_up(unit); }
  bool crashed_once(int unit) const { return failed(unit) && at(unit).failures == 1; }
  std::vector<Range> assumed_places() const;

  /// Units strictly between a and b that could still be run.
  int untested(int a, int b) const;
  /// Bits it takes to say which of the units in (a, b] a change came with.
  double bits(int a, int b) const;
  /// The untested unit in (a, b) where one run tells most: near the `share` of it, away from what failed.
  /// -1 for none.
  int between(int a, int b, double share = 0.5) const;
  /// Of a unit that was not run: units beside one that failed often fail, too. 0 for one that was run.
  double chance_of_failure(int unit) const;
  /// A unit with one crash in (a, b), or -1.
  int crash_between(int a, int b) const;

 private:
  static constexpr int kGiveUp = 2;
  struct Unit {
    bool run = false;
    int failed_repeats = 0;
    int failures = 0;  // two crashes are as good as broken
    bool assumed = false;
    int alike = 0;   // units of its range that failed
    int extent = 0;  // of its range, in units
  };
  Unit& at(int unit) { return units_[static_cast<std::size_t>(unit)]; }
  const Unit& at(int unit) const { return units_[static_cast<std::size_t>(unit)]; }
  void note_ranges();

  std::vector<int> unit_of_;
  std::vector<int> first_place_;
  std::vector<Unit> units_;
  std::vector<int> failed_;            // in order
  std::vector<int> closed_;            // before each unit, how many failed or are assumed to
  std::map<int, std::string> causes_;  // of broken units; empty for one that ran
};

/// The requests of one round: at most `most`, each of another unit, and none of a unit that is given up.
class Round {
 public:
  Round(const Line& line, int most) : line_(line), most_(static_cast<std::size_t>(most)) {}

  bool empty() const { return requests_.empty(); }
  bool full() const { return requests_.size() >= most_; }
  bool has(int unit) const;
  void add(const Request& request);
  const std::vector<Request>& requests() const { return requests_; }

 private:
  const Line& line_;
  std::size_t most_;
  std::vector<Request> requests_;
};

/// The evenly spaced units that are run before anything is known, both ends first and alone: a mistake shows there. One
/// that fails is replaced by a unit near it once the others were run; after a few such failures it is given up, so that
/// a test which always fails is not tried everywhere.
class FirstLook {
 public:
  FirstLook(const Question& question, const Line& line);

  int size() const { return static_cast<int>(targets_.size()); }
  /// At most `count` units to run now; empty once every target was run or given up.
  std::vector<Request> next(const Line& line, int count);

 private:
  struct Target {
    int unit = 0;
    int tries = 0;
    bool done = false;
  };
  int replacement(const Line& line, const Target& target) const;
  void settle(const Line& line);

  std::vector<Target> targets_;
  std::vector<std::size_t> order_;  // of asking for them
};

}  // namespace reg::search
