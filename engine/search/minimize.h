#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/search/culprits.h"
#include "engine/search/search.h"

namespace reg::search {

/// Which of n items carry the difference between none of them and all of them.
struct Puzzle {
  int n = 0;
  bool exact = false;      ///< numbers are the same at every run
  bool pass_fail = false;  ///< numbers are 0 for passed and 1 for failed, and exact
  int budget = 0;          ///< most runs; 0 = 200
};

struct SubsetRequest {
  Subset on;
  /// Why: "none" or "all" of the items; "runnable": which can be run, as all of them cannot together; "split": what
  /// tells most; "alone" or "without": only the suspects, or all but them.
  const char* reason;
};

/// Items that carry a part of the difference.
struct Culprit {
  std::vector<int> items;
  bool any = false;  ///< each of them alone is enough; else it takes all of them
  Estimate effect;   ///< relative, as of a Change; its interval is NaN where no run tells it from another effect
  /// Parts of the whole difference: what the items bring alone, and what is gone without them, if that was run.
  std::optional<Estimate> alone, without;
};

struct Minimal {
  std::string verdict = "inconclusive";  ///< or "found", "no_effect"
  std::string why;                       ///< inconclusive: why
  std::vector<Culprit> culprits;         ///< the largest effect first
  double p = 0;                          ///< that they, and no others, carry the difference
  Estimate none, all;                    ///< levels, in the metric's unit
  Estimate effect;                       ///< of all items together
  Estimate rest;              ///< of all but the culprits together; its interval as that of a culprit's effect
  double noise = 0;           ///< relative standard deviation of a run
  std::vector<int> excluded;  ///< items with which nothing can be run
  int runs = 0, failed = 0;
};

/// Decides which subset to run next, and what follows from the numbers: adaptive group testing with noise. Runs nothing
/// itself. Culprits are single items, items that act together, and several of those whose effects add up.
/// Deterministic.
///
///     while (request = minimize.ask()) minimize.tell(run(request->on));
class Minimize {
 public:
  /// Throws reg::Error "usage" where the question makes no sense.
  explicit Minimize(const Puzzle& puzzle);
  ~Minimize();

  /// The subset to run now; the same until it was told. None: enough is known.
  std::optional<SubsetRequest> ask();
  void tell(const Subset& on, double value);
  void tell_failed(const Subset& on, Failure failure);

  Minimal answer() const;
  int n() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reg::search
