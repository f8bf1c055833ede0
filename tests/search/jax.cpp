#include "tests/search/jax.h"

#include <cmath>

#include "tests/search/jax_series.h"

namespace reg::score {
namespace {

constexpr int kLeftCrops = 4;
constexpr double kNoise = 0.0005;
// 587.7, 570.2, 587.5, 577.3, 536.7; the night before the last change crashed.
constexpr Truth kChanges[] = {{4, 5}, {7, 8}, {9, 10}, {37, 39}};

}  // namespace

JaxNights::JaxNights(int crop, std::uint64_t seed) : first_(crop % kLeftCrops), draws_(mix(seed)) {
  question_.n = static_cast<int>(kJaxNights.size()) - first_ - crop / kLeftCrops;
  question_.min_effect = 0.01;
  question_.min_width = 3;
  for (const Truth& change : kChanges) truth_.push_back({change.lo - first_, change.hi - first_});
  repeats_.assign(static_cast<std::size_t>(question_.n), 0);
}

History::Result JaxNights::draw(int place) {
  const auto repeat = static_cast<std::uint64_t>(repeats_[static_cast<std::size_t>(place)]++);
  const int night = first_ + place;
  const double first = kJaxNights[static_cast<std::size_t>(night)];
  if (first == 0) return {Result::run_failed, 0};
  const double z = repeat == 0 ? 0 : draws_.normal(0, static_cast<std::uint64_t>(night), repeat);
  return {Result::ok, first * std::exp(kNoise * z)};
}

}  // namespace reg::score
