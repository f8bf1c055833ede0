#pragma once

#include <memory>
#include <vector>

#include "engine/search/chain.h"
#include "engine/search/compare.h"
#include "engine/search/search.h"

namespace reg::search {

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
  virtual Jumps jumps(const Lattice& lattice) const = 0;
  /// How likely `ys` of one unit are under each level: scaled to a largest value of 1, the logarithm of the scale added
  /// to `log_scale`.
  virtual Row row(const Lattice& lattice, const std::vector<double>& ys, double& log_scale) const = 0;
  /// What one more run of a unit would give: about `count` points of that distribution. `level` is what the other units
  /// say about this one, `ys` what it gave so far.
  virtual std::vector<Outcome> outcomes(const Lattice& lattice, const Row& level, const std::vector<double>& ys,
                                        int count) const = 0;

  /// Standard deviation of a run, and of a build beyond it; 0 where there is no such thing.
  virtual double run_noise() const { return 0; }
  virtual double build_noise() const { return 0; }
};

struct Hypothesis {
  double prior = 1;
  std::unique_ptr<Emission> emission;
};

/// All there are for the question before anything is known; priors sum to 1.
std::vector<Hypothesis> hypotheses(const Question& question);

/// A machine may have two speeds, and each run gets one of them by chance. The distance of the two, where neighbours or
/// repeats differ by the same amount again and again; 0 where they do not.
double second_mode(const Samples& samples);
/// The hypotheses for two speeds that far apart; priors beside those of hypotheses().
std::vector<Hypothesis> bimodal_hypotheses(const Question& question, double distance);

}  // namespace reg::search
