#pragma once

#include <vector>

namespace reg::search {

/// One value for each level in use.
using Row = std::vector<double>;

/// The levels in use: cells of an even lattice, in order, only those that some observation makes possible. A lattice
/// over the whole range would be large where two levels lie far apart and the noise is small.
struct Lattice {
  double origin = 0;
  double step = 1;
  std::vector<int> cells;

  double level(std::size_t g) const { return origin + step * cells[g]; }
  std::size_t size() const { return cells.size(); }
};

/// A hidden Markov chain over the units that were run, in their order: at each a level, which stays over the gap to the
/// next with probability `stay` and else jumps by at least `reach` cells, to each level with the same density.
///
/// Forward and backward in O(m G) for m units and G levels, however many units lie between those that were run.
/// Source: Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77 (1989), with scaling.
class Chain {
 public:
  /// density: of a jump, a cell.
  Chain(const Lattice& lattice, int reach, double density);

  /// The rows say how likely each unit's numbers are under each level, to any common factor; stay has one fewer.
  void run(std::vector<Row> emission, std::vector<double> stay);

  std::size_t size() const { return emission_.size(); }
  /// For each gap, the probability of a change.
  const std::vector<double>& change() const { return change_; }
  /// Of all rows together, as they were given.
  double log_evidence() const { return log_evidence_; }
  /// Of the level at unit j. Sums to 1.
  Row marginal(std::size_t j) const;
  /// Of the level of a unit in the gap after j, before it is run.
  Row marginal_between(std::size_t j, double stay_left, double stay_right) const;

  /// The changes as they would be, had unit j the row `row`.
  std::vector<double> change_with(std::size_t j, const Row& row) const;
  /// The same with one more unit after j; the result has one gap more.
  std::vector<double> change_between(std::size_t j, double stay_left, double stay_right, const Row& row) const;

 private:
  void step(const Row& in, double stay, Row& out) const;
  double change_over(const Row& forward, const Row& backward, const Row& beyond, double stay) const;

  std::vector<std::size_t> near_begin_, near_end_;  // cells too near to jump to
  double density_;
  std::vector<Row> emission_;
  std::vector<double> stay_;
  std::vector<Row> predicted_, forward_, backward_;  // before a unit's row; with it; of all after it
  std::vector<double> change_;
  double log_evidence_ = 0;
  mutable Row sums_;
};

}  // namespace reg::search
