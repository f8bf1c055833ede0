#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
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
/// run of a place gives does not depend on the runs before it, so that whoever searches sees the same draws.
class History {
 public:
  struct Result {
    enum Status { ok, build_failed, run_failed } status = ok;
    double value = 0;
  };

  virtual ~History() = default;

  Result run(int place) {
    ++runs_;
    return draw(place, repeats_[place]++);
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
  virtual Result draw(int place, std::uint64_t repeat) = 0;

  int runs_ = 0;
  std::map<int, std::uint64_t> repeats_;  // runs of each place
};

/// What changes in a simulated metric and how noisy its runs are. Sizes are relative, noise is of the logarithm.
struct Shape {
  int n = 1024;
  int steps = 1;
  double size = 0.03;           ///< of each step, times exp(uniform(-.25, .25))
  std::vector<double> sizes{};  ///< of each step, one of these; none: `size`
  bool close = false;           ///< steps may be at neighbors
  double slope = 0;             ///< the whole history rises evenly by this
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
  bool untold = false;  ///< the question names no smallest effect and no width; else half the size of the steps
  bool ends = false;    ///< a good and a bad end are named
};
std::unique_ptr<History> trace(const Shape& shape, std::uint64_t seed);

/// The nightly JAX containers, measured again: a night's first run gives the number that was measured, further ones
/// differ by 0.05 %. Crops, from 0, drop nights at both ends so that the search meets the four changes at other places
/// of its own. Without an effect, changes of any size are asked for; without a width, only lasting ones.
constexpr int kJaxCrops = 48;
std::unique_ptr<History> jax_nights(int crop, std::uint64_t seed, double min_effect, int min_width);

/// A test that passes (0) or fails (1): by chance where a rate is neither 0 nor 1, else always the same.
struct Rates {
  int n = 1000;
  double before = 0, after = 1;  ///< part of the runs that fail; alike: nothing changes
  bool untold = false;           ///< nobody says that it fails by chance
};
std::unique_ptr<History> pass_fail(const Rates& rates, std::uint64_t seed);

/// What a search that is not broken keeps to, with room to spare: see --check. Parts are of the histories.
struct Bounds {
  double runs = 0;          ///< at most that many on average
  double exact = 0.8;       ///< at least that part all right
  double wrong = 0.2;       ///< at most that many false changes a history
  double unresolved = 0.3;  ///< at most that part
};

/// A kind of history, and as many of it as wanted.
struct Cell {
  std::string name;
  std::function<std::unique_ptr<History>(int number, std::uint64_t seed)> history;
  int most = 0;  ///< histories there are of it; 0 = as many as wanted
  Bounds bounds;
};

/// What the search is made for, and measured by.
std::vector<Cell> goal_cells();
/// What an ordinary machine gives, and a question that names neither a smallest effect nor a width: noise of 1 to 4 %,
/// bursts of load, a slow tail, 6 % that fail. `ordinary`: changes of 7 times the noise and more; `modest`: of 3 times.
std::vector<Cell> untold_cells();
/// What a first user meets: a handful of releases (`few`), a machine that others load (`rough`), and two named ends
/// with several small steps or a slope between them.
std::vector<Cell> door_cells();

}  // namespace reg::score
