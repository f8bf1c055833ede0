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
  Kind kind = Kind::noisy;  ///< flaky: 0 and 1 that need not repeat; exact: the same at every run
  bool pass_fail = false;   ///< numbers are 0 for passed and 1 for failed
  int budget = 0;           ///< most runs; 0 = 200
};

/// Why a subset is to be run.
enum class SubsetReason {
  none,      ///< with nothing on
  all,       ///< with all on
  runnable,  ///< all of them cannot be run together: which can
  split,     ///< the subset that tells most
  alone,     ///< only the suspects
  without,   ///< all but the suspects
};

struct SubsetRequest {
  Subset on;
  SubsetReason reason = SubsetReason::split;
};

/// Items that carry a part of the difference.
struct Culprit {
  std::vector<int> items;
  bool any = false;  ///< each of them alone is enough; else it takes all of them
  Estimate effect;   ///< relative, as of a Change; its interval is NaN where no run tells it from another effect
  /// Parts of the whole difference: what the items bring alone, and what is gone without them. 0 runs: not measured.
  Estimate alone, without;
  int alone_runs = 0, without_runs = 0;
};

enum class MinimizeVerdict { found, no_effect, inconclusive };

struct Minimal {
  MinimizeVerdict verdict = MinimizeVerdict::inconclusive;
  std::string why;                ///< inconclusive: why
  std::vector<Culprit> culprits;  ///< the largest effect first
  double p = 0;                   ///< that they, and no others, carry the difference
  Estimate none, all;             ///< levels, in the metric's unit
  Estimate effect;                ///< of all items together
  Estimate rest;                  ///< of all but the culprits together; its interval as that of a culprit's effect
  double noise = 0;               ///< relative standard deviation of a run
  std::vector<int> excluded;      ///< items with which nothing can be run
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

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reg::search
