#pragma once

#include <cmath>
#include <cstdint>

namespace reg::score {

inline std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finalizer
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// In (0, 1), both ends left out.
inline double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

/// Random numbers that have names instead of an order: what is drawn, of which build, in which of its runs.
class Draws {
 public:
  explicit Draws(std::uint64_t key) : key_(key) {}

  double uniform(std::uint64_t what, std::uint64_t build, std::uint64_t repeat) const {
    return unit(mix(key_ ^ mix(what ^ mix(build ^ mix(repeat)))));
  }
  double normal(std::uint64_t what, std::uint64_t build, std::uint64_t repeat) const {
    return std::sqrt(-2 * std::log(uniform(what, build, repeat))) *
           std::cos(2 * M_PI * uniform(what + 100, build, repeat));
  }

 private:
  std::uint64_t key_;
};

}  // namespace reg::score
