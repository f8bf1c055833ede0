#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/search/history.h"

namespace reg::score {

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

/// One number for a history of a cell: the same on every machine.
std::uint64_t seed_of(const std::string& seed, const Cell& cell, int number);

}  // namespace reg::score
