#pragma once

#include <memory>
#include <vector>

#include "engine/search/chain.h"
#include "engine/search/numbers.h"

namespace reg::search {

/// One thing a run might give, and how likely that is.
struct Outcome {
  double y = 0;
  double p = 0;
};

/// Standard deviations from run to run, and from build to build beyond that; 0 if there is none.
struct Noise {
  double run = 0, build = 0;
};

/// One hypothesis of how numbers scatter around a unit's level.
class Emission {
 public:
  virtual ~Emission() = default;

  virtual Lattice lattice(const Samples& samples) const = 0;
  virtual Jumps jumps(const Lattice& lattice) const = 0;
  /// How likely `ys` of one unit are under each level: scaled to a largest value of 1, the logarithm of the scale added
  /// to `log_scale`.
  virtual Row row(const Lattice& lattice, const std::vector<double>& ys, double& log_scale) const = 0;
  /// What one more run of a unit would give: about `count` points of that distribution. `level` is what the other units
  /// say about this one, `ys` what it gave so far.
  virtual std::vector<Outcome> outcomes(const Lattice& lattice, const Row& level, const std::vector<double>& ys,
                                        int count) const = 0;

  virtual Noise noise() const { return {}; }
  /// Whether the samples could tell it from the others.
  virtual bool applies(const Samples&) const { return true; }
};

struct Hypothesis {
  double prior = 1;
  std::unique_ptr<Emission> emission;
};

/// All there are for the question before anything is known; priors sum to 1.
std::vector<Hypothesis> hypotheses(const Question& question);

}  // namespace reg::search
