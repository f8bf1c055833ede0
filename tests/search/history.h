#pragma once

#include <vector>

#include "engine/search/search.h"

namespace reg::score {

/// One true change, as the narrowest answer: a usable place on each side.
struct Truth {
  int lo = 0, hi = 0;
  double size = 0;     ///< of the logarithm; 0 where nobody asks
  bool needed = true;  ///< an answer without it is right as well: it is temporary, and nobody asked for those
};

/// A history to be searched: the question about it, what the runs of its places give, and what is true. What the n-th
/// run of a build gives does not depend on the runs before it, so that whoever searches sees the same draws.
class History {
 public:
  struct Result {
    enum Status { ok, build_failed, run_failed } status = ok;
    double value = 0;
  };

  virtual ~History() = default;

  Result run(int place) {
    ++runs_;
    return draw(place);
  }
  int runs() const { return runs_; }
  const search::Question& question() const { return question_; }
  const std::vector<Truth>& truth() const { return truth_; }
  double noise() const { return noise_; }  ///< of a run, with the load of neighbors; 0 = nobody asks

  /// Adds a step of that relative size at a place of its own choice: the only truth then. Does nothing where a history
  /// cannot be changed.
  virtual void plant(double) {}

 protected:
  search::Question question_;
  std::vector<Truth> truth_;
  double noise_ = 0;

 private:
  virtual Result draw(int place) = 0;
  int runs_ = 0;
};

}  // namespace reg::score
