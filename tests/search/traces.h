#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace reg::traces {

/// A kind of history: what changes in it and how noisy its runs are. Sizes are relative, noise is of the logarithm.
struct Cell {
  std::string name;
  int n = 1024;
  int steps = 1;
  double size = 0.03;  ///< of each step, times exp(uniform(-.25, .25))
  double sigma = 0.001;
  double tau = 0;       ///< from build to build
  double broken = 0;    ///< part of the places that do not build, in bursts
  double outliers = 0;  ///< part of the runs that are 20 % slower
  bool fixed = false;   ///< exactly that, always; else half of the histories have outliers of all sizes
  double crashes = 0;   ///< part of the runs that give no number
  double share = 0;     ///< part of the places that share their neighbour's build
  bool mixed = false;   ///< steps go either way
  int dip = 0;          ///< width of one dip besides
  double bimodal = 0;   ///< every second run is slower by that
  double drift = 0;     ///< over the whole history
};

struct Truth {
  int lo = 0, hi = 0;  ///< the narrowest answer: a usable place on each side
};

/// One history. A run's number depends on (trace, build, repeat) alone, so every search sees the same draws.
class Trace {
 public:
  Trace(const Cell& cell, std::uint64_t seed);

  struct Result {
    enum Status { ok, build_failed, run_failed } status = ok;
    double value = 0;
  };
  Result run(int place);  ///< the next repeat of the place's build
  int runs() const { return runs_; }

  const Cell& cell() const { return cell_; }
  const std::vector<int>& builds() const { return build_; }
  const std::vector<Truth>& truth() const { return truth_; }

 private:
  double uniform(std::uint64_t what, std::uint64_t build, std::uint64_t repeat) const;
  double normal(std::uint64_t what, std::uint64_t build, std::uint64_t repeat) const;

  Cell cell_;
  std::uint64_t key_;
  bool exponential_ = false;  // outliers of all sizes
  bool higher_is_better_ = false;
  std::vector<double> level_;
  std::vector<bool> broken_;
  std::vector<int> build_;
  std::vector<Truth> truth_;
  std::vector<int> repeats_;
  int runs_ = 0;
};

}  // namespace reg::traces
