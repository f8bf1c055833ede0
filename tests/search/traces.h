#pragma once

#include <cstdint>
#include <vector>

#include "tests/search/draws.h"
#include "tests/search/history.h"

namespace reg::score {

/// What changes in a simulated metric and how noisy its runs are. Sizes are relative, noise is of the logarithm.
struct Shape {
  int n = 1024;
  int steps = 1;
  double size = 0.03;         ///< of each step, times exp(uniform(-.25, .25))
  std::vector<double> sizes;  ///< of each step, one of these; none: `size`
  bool close = false;         ///< steps may be at neighbors
  double slope = 0;           ///< the whole history rises evenly by this
  double sigma = 0.001;
  double tau = 0;       ///< from build to build
  double broken = 0;    ///< part of the places that do not build, in bursts
  double outliers = 0;  ///< part of the runs that are 20 % slower
  bool fixed = false;   ///< exactly that, always; else half of the histories have outliers of all sizes
  double crashes = 0;   ///< part of the runs that give no number
  bool mixed = false;   ///< steps go either way
  int dip = 0;          ///< width of one dip besides
  double load = 0;      ///< a neighbor works for six runs in a row, now and then: everything is slower by about that
  double skew = 0;      ///< mean of the slow tail that each run has
  bool untold = false;  ///< the question names no smallest effect and no width
  bool ends = false;    ///< a good and a bad end are named
};

/// A simulated metric. Unless it is untold, the question asks for changes of half the size of its steps.
class Trace : public History {
 public:
  Trace(const Shape& shape, std::uint64_t seed);

  void plant(double size) override;

 private:
  Result draw(int place) override;

  Shape shape_;
  Draws draws_;
  bool exponential_ = false;  // outliers of all sizes
  bool higher_is_better_ = false;
  std::vector<double> level_;
  std::vector<bool> broken_;
  std::vector<int> repeats_;
};

}  // namespace reg::score
