#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/search/chain.h"
#include "engine/search/search.h"

namespace reg::search {

/// What was seen, by unit: logarithms of a metric, 0 and 1 of a flaky test.
using Samples = std::map<int, std::vector<double>>;

/// One thing a run might give, and how likely that is.
struct Outcome {
  double y = 0;
  double p = 0;
};

/// One hypothesis of how numbers scatter around a unit's level.
class Emission {
 public:
  virtual ~Emission() = default;

  virtual Lattice lattice(const Samples& samples) const = 0;
  /// Smallest jump, in cells; and the density of a jump, a cell.
  virtual int reach(const Lattice& lattice) const = 0;
  virtual double density(const Lattice& lattice) const = 0;
  /// How likely `ys` of one unit are under each level: scaled to a largest value of 1, the logarithm of the scale added
  /// to `log_scale`.
  virtual Row row(const Lattice& lattice, const std::vector<double>& ys, double& log_scale) const = 0;
  /// What one run at a unit whose level is distributed as `level` would give.
  virtual std::vector<Outcome> outcomes(const Lattice& lattice, const Row& level) const = 0;

  /// Standard deviation of a run, and of a build beyond it; 0 where there is no such thing.
  virtual double run_noise() const { return 0; }
  virtual double build_noise() const { return 0; }
};

struct Hypothesis {
  double prior = 1;
  std::unique_ptr<Emission> emission;
};

/// All there are for the question; priors sum to 1.
std::vector<Hypothesis> hypotheses(const Question& question);

}  // namespace reg::search
