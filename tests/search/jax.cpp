#include "tests/search/jax.h"

#include <cmath>

#include "tests/search/jax_series.h"

namespace reg::score {
namespace {

constexpr int kLeftCrops = 4;
constexpr double kNoise = 0.0005;
// 587.7, 570.2, 587.5, 577.3, 536.7; the night before the last change crashed.
constexpr Truth kLasting[] = {{9, 10}, {37, 39}};
constexpr Truth kTemporary[] = {{4, 5}, {7, 8}};

}  // namespace

JaxNights::JaxNights(int crop, std::uint64_t seed, Told told) : first_(crop % kLeftCrops), draws_(mix(seed)) {
  question_.n = static_cast<int>(kJaxNights.size()) - first_ - crop / kLeftCrops;
  question_.min_effect = told.min_effect;
  question_.min_width = told.min_width;
  const auto add = [&](const Truth& change, bool needed) {
    truth_.push_back({change.lo - first_, change.hi - first_, 0, needed});
  };
  for (const Truth& change : kTemporary) add(change, told.min_width > 0);
  for (const Truth& change : kLasting) add(change, true);
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
