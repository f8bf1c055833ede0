#pragma once

#include <optional>
#include <vector>

#include "engine/search/emission.h"

namespace reg::search {

/// What the samples say: for each gap between neighbouring units that were run, the probability of a change in it,
/// averaged over the hypotheses about the noise by their evidence.
class Posterior {
 public:
  Posterior(const Question& question, const Line& line);

  /// From at least one sampled unit. `line` is the one of the constructor, as it is now.
  void update(const Samples& samples);

  const Shifts& change() const { return change_; }  ///< of the gap after unit k; one fewer

  /// How likely a jump by `size` or more is in each gap.
  std::vector<double> jumps(double size) const;

  Noise likeliest() const;
  /// What is said of the noise: after few runs the likeliest is too small.
  Noise expected_noise() const;

  /// The changes as they would be after one more run of `unit`, for each of some outcomes. Where the unit was not run
  /// before, the changes have one gap more.
  struct Future {
    double p = 0;
    Shifts change;
  };
  std::vector<Future> futures(int unit) const;
  /// The changes now, under the hypotheses that futures() regards: what those are to be compared with.
  const Shifts& present() const { return present_; }

 private:
  struct Model {
    Hypothesis hypothesis;
    double weight = 0;
    bool out = false;  // it was found unlikely, and is not looked at again
    Lattice lattice;
    std::optional<Chain> chain;
  };
  Stay stay(int a, int b) const;
  void evaluate(Model& model);
  void weigh();

  const Question& question_;
  const Line& line_;
  std::vector<Model> all_;
  std::vector<std::size_t> leading_;  // models that matter, best first
  double leading_weight_ = 0;         // of them together
  const Samples* samples_ = nullptr;
  std::vector<int> units_;
  Shifts change_, present_;
};

}  // namespace reg::search
