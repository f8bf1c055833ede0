#pragma once

#include <optional>
#include <vector>

#include "engine/search/chain.h"
#include "engine/search/emission.h"
#include "engine/search/line.h"

namespace reg::search {

/// What the samples say: for each gap between neighbouring units that were run, the probability of a change in it,
/// averaged over the hypotheses about the noise by their evidence.
class Posterior {
 public:
  Posterior(const Question& question, const Line& line);

  /// From at least one sampled unit. `line` is the one of the constructor, as it is now.
  void update(const Samples& samples);

  const std::vector<int>& units() const { return units_; }                    ///< in order
  const std::vector<double>& change() const { return change_; }               ///< of the gap after unit k; one fewer
  const Emission& noise() const { return *all_[best_].hypothesis.emission; }  ///< the likeliest

  /// The changes as they would be after one more run of `unit`, for each outcome: (probability, changes). Under the
  /// likeliest noise. Where the unit was not run before, the changes have one gap more.
  struct Future {
    double p = 0;
    std::vector<double> change;
  };
  std::vector<Future> futures(int unit) const;
  /// The same if nothing more were run, under the same noise.
  const std::vector<double>& present() const { return all_[best_].chain->change(); }

 private:
  struct Model {
    Hypothesis hypothesis;
    double weight = 0;
    Lattice lattice;
    std::optional<Chain> chain;
  };
  double stay(int a, int b) const;
  void evaluate(Model& model);

  const Line& line_;
  std::vector<Model> all_;
  std::size_t best_ = 0;
  const Samples* samples_ = nullptr;
  std::vector<int> units_;
  std::vector<double> change_;
};

}  // namespace reg::search
