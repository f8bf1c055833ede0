#pragma once

#include <cstddef>
#include <cstdint>
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
  double slower = 0;  ///< every second run, by chance, is further from the level by that

  double level(std::size_t g) const { return origin + step * cells[g]; }
  std::size_t size() const { return cells.size(); }
};

/// How levels jump: by at least `reach` cells, and for each ring by less than its `cells`, with its density a cell.
/// Rings lie within each other, so a small jump is in all of them: sizes over several orders of magnitude, small ones
/// likelier.
struct Jumps {
  struct Ring {
    int cells = 0;
    double density = 0;
  };
  int reach = 1;
  std::vector<Ring> rings;
  int large = 1;    ///< from so many cells on a jump is worth finding
  int notable = 1;  ///< and from so many it is said, once it is known where it is
};

/// How likely the level changed over each gap: at all, and by something worth finding.
struct Shifts {
  Shifts() = default;
  explicit Shifts(std::size_t gaps) : any(gaps), notable(gaps), large(gaps) {}

  void add(double weight, const Shifts& other);

  std::vector<double> any, notable, large;
};

/// The probability that the level is the same on both sides of a gap: as long as nothing changed before it, and once
/// something has. One change is to be expected where somebody looks for one; that there is a second is less likely.
struct Stay {
  double first = 1, next = 1;
};

/// A hidden Markov chain over the units that were run, in their order: at each a level, and whether it ever changed.
/// Over each gap the level stays or jumps.
///
/// Forward and backward in O(m G) for m units and G levels, however many units lie between those that were run.
/// Source: Rabiner, "A tutorial on hidden Markov models", Proc. IEEE 77 (1989), with scaling.
class Chain {
 public:
  Chain(const Lattice& lattice, const Jumps& jumps);

  /// The rows say how likely each unit's numbers are under each level, to any common factor; stay has one fewer.
  void run(std::vector<Row> emission, std::vector<Stay> stay);

  /// Gives up what only the functions below need, which is most of the memory; they must not be called any more.
  void keep_change_only();

  /// For each gap, the probability of a jump by at least so many cells.
  std::vector<double> jump_of(const Lattice& lattice, const Jumps& jumps, int cells) const;

  const Shifts& change() const { return change_; }
  /// Of all rows together, as they were given.
  double log_evidence() const;
  /// How likely each level is at unit j. Sums to 1.
  Row level(std::size_t j) const;

  /// What would be, had unit j the row `row`. Of a row of equal values: what the other units say about it.
  void replace(std::size_t j, Row row);
  /// What would be with one unit more, before unit j.
  void insert(std::size_t j, Stay left, Stay right, Row row);

 private:
  // What is said about a unit's level before anything changed, and after.
  struct Belief {
    Row never, since;
  };
  // For each cell, the cells within some distance of it.
  struct Window {
    std::vector<std::uint32_t> begin, end;
    double density = 0;
  };
  using Windows = std::vector<Window>;
  static Window window(const Lattice& lattice, int cells, double density);
  static Windows below(const Lattice& lattice, const Jumps& jumps, int cells);
  static double product(const Belief& a, const Row& row, Belief& out);
  double part_of(const Windows& small, const Row& left, const Belief& beyond) const;
  void pass(std::size_t row, std::size_t end);
  void jump(const Row& sums, Row& out) const;
  void leave(const Belief& from, Stay stay, Row& sums) const;
  void forward(std::size_t gap, Belief& out);
  void backward(const Belief& in, Stay stay, Belief& out) const;
  void change_over(std::size_t gap, const Belief& beyond);

  std::size_t levels_ = 0;
  Windows rings_;
  Windows tiny_;   // jumps that are not notable
  Windows small_;  // jumps that are not worth finding
  std::vector<Row> emission_;
  std::vector<Stay> stay_;
  std::vector<Belief> forward_, backward_;  // of all up to and with a unit; of all after it
  std::vector<Row> left_;                   // for each gap, what jumps over it, as sums over the levels below each
  std::vector<double> scales_;              // logarithms of what the rows of forward_ were divided by
  Shifts change_;
  mutable Row sums_, jumped_;  // of one step, kept for their memory
};

}  // namespace reg::search
