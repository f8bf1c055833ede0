#pragma once

#include <cstdint>
#include <vector>

#include "tests/search/draws.h"
#include "tests/search/history.h"

namespace reg::score {

struct Rates {
  int n = 1000;
  double before = 0, after = 1;  ///< part of the runs that fail; alike: nothing changes
  bool untold = false;           ///< nobody says that it fails by chance
};

/// A test that passes (0) or fails (1): by chance where a rate is neither 0 nor 1, else always the same.
class PassFail : public History {
 public:
  PassFail(const Rates& rates, std::uint64_t seed);

 private:
  Result draw(int place) override;

  Rates rates_;
  Draws draws_;
  int change_;  // the first place with the rate after it
  std::vector<int> repeats_;
};

}  // namespace reg::score
