#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reg::search {

/// Which items are switched on: 0 or 1 for each.
using Subset = std::vector<std::uint8_t>;

/// Items that have an effect together: all of them must be on, or any of them.
struct Cause {
  static constexpr int kMost = 4;

  bool any = false;
  std::uint8_t size = 0;
  std::array<std::int16_t, kMost> items = {};  ///< in ascending order

  bool active(const Subset& on) const;
  void add(int item);
  bool mentions(int item) const;
  auto operator<=>(const Cause&) const = default;  // NOLINT(modernize-use-nullptr): of what the compiler writes
};

/// One explanation of all numbers: causes whose effects add up, in ascending order. None: the items have no effect.
struct Explanation {
  static constexpr int kMost = 5;

  std::uint8_t size = 0;
  std::array<Cause, kMost> causes = {};

  bool mentions(int item) const;
  auto operator<=>(const Explanation&) const = default;  // NOLINT(modernize-use-nullptr): of what the compiler writes
};

/// A run of a subset, as the mathematics sees its number.
struct Seen {
  Subset on;
  double y = 0;
};

/// An explanation with what the numbers say about it.
struct Weighed {
  Explanation explanation;
  double p = 0;                                             ///< its probability
  double sigma = 0;                                         ///< noise of a run under it
  std::array<double, Explanation::kMost + 1> effects = {};  ///< level with nothing on, then of each cause

  double level(const Subset& on) const;
};

/// What may be behind the difference of two sets of numbers.
enum class Combination {
  sums,  ///< effects of causes add up
  any,   ///< pass and fail: each cause alone is enough
};

/// The explanations that matter, by their probability. Searches them coarse to fine: single items, then pairs, then
/// more items on top of the best. Levels and noise are integrated out: normal noise of unknown size, and runs far from
/// all that the explanations expect count less.
class Culprits {
 public:
  /// `relative_floor`: noise below this part of the whole difference is not believed, since small effects of other
  /// items scatter the numbers by as much.
  Culprits(int n, Combination combination, double relative_floor);

  /// From at least one run with nothing on, and one with all on.
  void update(const std::vector<Seen>& seen, double none, double all);

  const std::vector<Weighed>& best() const { return best_; }  ///< by falling probability; they sum to 1
  double noise() const { return noise_; }                     ///< standard deviation of a run

 private:
  void note(const std::vector<Seen>& seen);
  Weighed fit(const Explanation& explanation);  // its p is a logarithm, to a constant
  double log_prior(const Explanation& explanation) const;
  std::vector<Explanation> extended(const std::vector<Weighed>& from, std::size_t most) const;
  std::vector<Weighed> search();
  bool reweigh(const std::vector<Seen>& seen);

  int n_;
  Combination combination_;
  double relative_floor_;
  double floor_ = 0;   // of the noise
  double size_ = 0;    // of an effect, as expected
  double centre_ = 0;  // of the levels
  double noise_ = 0;
  std::vector<double> trust_;                   // of each run, 0 to 1
  std::vector<double> ys_;                      // of each run, from the centre
  std::vector<std::uint8_t> on_;                // of each item, for each run, whether it was on
  std::vector<std::uint8_t> active_, pattern_;  // of each run: a cause, all of them
  std::array<double, Cause::kMost + 1> log_all_of_ = {}, log_any_of_ = {};  // prior of one cause with so many items
  std::vector<Weighed> best_;
};

constexpr int kMostColumns = 7;
using Columns = std::array<double, kMostColumns>;
using Gram = std::array<Columns, kMostColumns>;

/// Solves a x = b in place for the leading `size` rows of a symmetric positive definite `a`, of which the lower
/// triangle counts and which becomes its Cholesky factor. Returns the logarithm of its determinant.
double solve(Gram& a, Columns& b, int size);

/// cᵀ a⁻¹ c, with the factor that solve() left.
double quadratic(const Gram& factor, Columns c, int size);

}  // namespace reg::search
