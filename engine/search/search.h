#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reg::search {

/// What kind of number a run gives.
enum class Kind {
  noisy,  ///< a positive number with noise; changes are relative
  flaky,  ///< 0 passed, 1 failed, by chance: a failure rate that changes
  exact,  ///< the same at every run: any difference is a change, and nothing is repeated
};

/// What is asked. Places are 0..n-1 in the order of time; a change "at i" is between i-1 and i.
struct Question {
  int n = 0;
  Kind kind = Kind::noisy;
  double min_effect = 0;    ///< smallest change worth finding: relative for a metric, in the rate for a flaky test;
                            ///< 0 = for a metric what the noise allows, and 0.25
  double exclude = 0;       ///< "no change" must exclude changes of this relative size, of a metric without a
                            ///< min_effect; 0 = what the noise allows
  double max_error = 0;     ///< expected number of false or missed changes in the answer;
                            ///< 0 = 0.02, and 0.12 for a flaky test
  int budget = 0;           ///< most runs; 0 = default_budget(), or four times the first look where that is more
  int parallel = 1;         ///< places asked for in one round
  int ahead = 1;            ///< rounds at a time of what is needed whatever the results are: the first look, and all
                            ///< of a history that is measured as a whole
  int first_look = 0;       ///< places of the first look; 0 = as many as min_width needs, at least 5 (7 without a
                            ///< min_effect; exact: 2)
  bool ends = false;        ///< the first and the last place are a good and a bad end that somebody named: of a metric
                            ///< they are compared before anything else is run
  bool chance = false;      ///< exact passes (0) and failures (1), of which a failure may be chance: the sides of a
                            ///< change are run again, and a place that did both makes it a flaky test
  bool together = false;    ///< going to another place costs a build: runs of one place are made together
  int min_width = 0;        ///< a dip of this many places must be found; 0 = no wish
  std::vector<int> builds;  ///< n ids: neighbours with equal ids are one artefact, run once. Empty: all differ
};

/// A run of a flaky test says little: it takes more of them.
constexpr int default_budget(Kind kind) { return kind == Kind::flaky ? 400 : 200; }

/// Why a place is to be run.
enum class Reason {
  first_look,  ///< one of the evenly spaced places
  round,       ///< each of a few, in turn
  split,       ///< between lo and hi a change is likely: the middle
  repeat,      ///< once more, since lo and hi cannot be told apart well enough
  confirm,     ///< a level next to a change was seen too few times to be believed
  odd_one,     ///< a single run far from its neighbours
  retry,       ///< it crashed once, and the answer hangs on it
  ends,        ///< the two named ends beside each other
  chance,      ///< a result that a search by pass and fail rests on may be chance
  link,        ///< another machine ran it: a run on this one says how their numbers compare
};

struct Request {
  int place = 0;
  Reason reason = Reason::first_look;
  int lo = 0, hi = 0;  ///< the evaluated places on both sides (lo == hi == place where there are none)
  double p = 0;        ///< probability of a change between lo and hi
};

enum class Failure {
  broken,   ///< it cannot be built: will fail again, and is not asked for again
  crashed,  ///< the run failed: asked for once more where the answer hangs on it
};

/// Where and when a number was measured.
struct Origin {
  std::string machine;       ///< numbers of other machines are compared by the places that both ran
  std::optional<double> at;  ///< seconds: the order of the runs; without it they are told in their order
};

/// Places from first to last.
struct Range {
  int first = 0, last = 0;
};

/// A number with its 95 % interval.
struct Estimate {
  double value = 0, low = 0, high = 0;
};

/// A change is in (lo, hi]: lo has the old level, hi the new one.
struct Edge {
  int lo = 0, hi = 0;
  double p = 0;       ///< probability that it is there
  double effect = 0;  ///< of a doubt of a metric: about its size
};

struct Change {
  bool dip = false;  ///< the level came back: `leave` says where
  Edge enter, leave;
  double p = 0;            ///< probability of the whole statement
  bool open = false;       ///< which of the places between lo and hi it came with is not known, and runs would say
  int runs_to_name = 0;    ///< open: about how many runs more that would take
  Estimate before, after;  ///< in the metric's unit; failure rates for a flaky test
  Estimate effect;         ///< after / before - 1; the difference of the rates for a flaky test
};

/// The two named ends beside each other.
struct EndsFound {
  enum class Verdict { differ, same, open } verdict = Verdict::open;
  Estimate effect;       ///< last / first - 1
  double bound = 0;      ///< relative: same: they do not differ by more
  int runs_to_tell = 0;  ///< open: about how many more of their runs would
};

/// A part of the history over which the level moves, where no single place carries the difference of the ends.
struct Part {
  int lo = 0, hi = 0;
  Estimate effect;         ///< the product of all parts' is that of the ends
  int runs_to_narrow = 0;  ///< about
};

/// A subject of a history that is measured as a whole.
struct TableRow {
  int place = 0;
  int runs = 0;
  Estimate value;
  std::optional<Estimate> step, from_first;  ///< relative, against the one before it and the first; the first has none
};

/// `changes` where there is one with 95 % confidence or the named ends differ, `no_change` where all of the question
/// was answered without one.
enum class Verdict { changes, no_change, inconclusive };

struct Answer {
  Verdict verdict = Verdict::inconclusive;
  std::string why;                      ///< why the search ended before all of it was answered; empty where it was
  std::vector<Change> changes;          ///< those that are there with 95 % confidence, in the order of places
  std::optional<EndsFound> ends;        ///< of a metric with named ends
  std::vector<Part> parts;              ///< where these differ and no place was found, all of it in parts
  std::optional<Estimate> unaccounted;  ///< what the changes leave of the difference of the ends, if that is sure
  std::vector<TableRow> table;          ///< where all places are measured
  std::vector<Edge> doubts;             ///< where there may be another one, with p > 0.05
  std::vector<Range> assumed;           ///< places that were not run, since those around them are broken for one reason
  double noise = 0;                     ///< relative standard deviation from run to run (0 unless a metric)
  double build_noise = 0;               ///< the same from build to build, beyond the noise
  double error = 1;                     ///< expected number of false or missed changes left
  double resolution = 0;  ///< no other lasting change of this relative size or more; 0 = nothing is claimed
  int narrowest_dip = 0;  ///< no dip this wide or wider can have been missed for lack of runs
  int runs = 0, rounds = 0, budget = 0;  ///< the most runs: those of the question, or as many as it takes by itself
  double finer = 0;         ///< a smaller size: min_effect where the noise put it out of reach, or half the resolution
                            ///< where nothing changed; 0 = neither
  int runs_for_finer = 0;   ///< about how many runs would exclude a change of that size
  int runs_to_resolve = 0;  ///< with a `why`: about how many runs more would do; 0 = no number of runs would
};

/// Decides what to run next, and what follows from the numbers. Runs nothing itself.
///
///     while (!(round = search.ask()).empty())
///       for (request : round) search.tell(request.place, run(request.place));
///
/// Places of one build are one: a request names one of them, and it stands for all. Deterministic: the same question
/// and the same numbers give the same requests.
class Search {
 public:
  /// Throws reg::Error "usage" where the question makes no sense.
  explicit Search(Question question);
  ~Search();

  /// The places to run now, at most `parallel`, or as many as `ahead` says; those not yet told again where some are.
  /// Empty = enough is known.
  std::vector<Request> ask();

  /// The number of one run that was asked for. A place may be told without having been asked: earlier results. A
  /// request names no machine: it is run on whichever is there.
  void tell(int place, double value, const Origin& origin = {});
  /// `cause`: equal for failures that are alike; places between broken ones with one cause are assumed to be as broken.
  void tell_failed(int place, Failure failure, const std::string& cause = {});

  Answer answer() const;
  int n() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reg::search
