#pragma once

#include <cstdint>
#include <vector>

#include "tests/search/draws.h"
#include "tests/search/history.h"

namespace reg::score {

constexpr int kJaxCrops = 48;

/// The nightly JAX containers, measured again: a night's first run gives the number that was measured, further ones
/// differ by 0.05 %. Crops drop nights at both ends so that the search meets the four changes at other places of its
/// own.
class JaxNights : public History {
 public:
  /// Without an effect told, changes of any size are asked for; without a width, only lasting ones.
  struct Told {
    double min_effect = 0;
    int min_width = 0;
  };

  /// `crop` in [0, kJaxCrops).
  JaxNights(int crop, std::uint64_t seed, Told told);

 private:
  Result draw(int place) override;

  int first_;  // night of the series at place 0
  Draws draws_;
  std::vector<int> repeats_;
};

}  // namespace reg::score
