#include <cmath>

#include "engine/cuda/statistics.h"
#include "tests/support/catch.h"

using namespace reg::cuda;

TEST_CASE("cuda statistics: quantiles, mean and deviation, by hand") {
  const Summary s = summarize({4, 1, 3, 2});
  CHECK(s.n == 4);
  CHECK(s.min == 1);
  CHECK(s.q1 == Approx(1.75));
  CHECK(s.median == Approx(2.5));
  CHECK(s.q3 == Approx(3.25));
  CHECK(s.max == 4);
  CHECK(s.mean == Approx(2.5));
  CHECK(s.stdev_rel == Approx(std::sqrt(5.0 / 3.0) / 2.5));
  CHECK(s.iqr_rel == Approx(1.5 / 2.5));

  const Summary one = summarize({7});
  CHECK(one.median == 7);
  CHECK(one.stdev_rel == 0);
  CHECK(summarize({}).n == 0);
}

TEST_CASE("cuda stopping by noise: below the limit, and only after the least time") {
  NoiseStopping quiet(0.005, 0.5);
  for (int i = 0; i < 4; ++i) {
    CHECK(quiet.reason().empty());
    quiet.add(0.125);
  }
  CHECK(quiet.reason() == "noise");

  // 0.9 and 1.1 in turn: the deviation is near 0.1, far above the limit, and does not move any more.
  NoiseStopping noisy(0.005, 0.5);
  int n = 0;
  while (noisy.reason().empty() && n < 1000) noisy.add(n++ % 2 == 0 ? 0.9 : 1.1);
  CHECK(noisy.reason() == "settled");
  CHECK(n > static_cast<int>(NoiseStopping::kLeast));
  CHECK(n < 200);
}

TEST_CASE("cuda stopping by noise: a deviation that still falls or rises has not settled") {
  // The first value is far off, so the deviation falls as 1 / sqrt(n) for long.
  NoiseStopping falling(0.005, 0.5);
  falling.add(10);
  for (int i = 0; i < 100; ++i) falling.add(1);
  CHECK(falling.reason().empty());
  NoiseStopping drifting(0.005, 0.5);
  for (int i = 0; i < 300; ++i) drifting.add(1 + 0.01 * i);
  CHECK(drifting.reason().empty());
}

namespace {

Sampling counting(int n, double clock_mhz = 1000, double timeout_s = 15, int least = 1) {
  SamplingOptions options;
  options.count = n;
  options.min_samples = least;
  options.timeout_s = timeout_s;
  options.clock_mhz = clock_mhz;
  return Sampling(options);
}

}  // namespace

TEST_CASE("cuda sampling: slow clocks are discarded, and the pauses grow from the third in a row") {
  Sampling sampling = counting(3);
  CHECK(sampling.add({1.0, 760.0}) == 0);
  CHECK(sampling.add({9.0, 740.0}) == Approx(0.05));
  CHECK(sampling.add({9.0, 740.0}) == Approx(0.05));
  CHECK(sampling.add({9.0, 740.0}) == Approx(0.10));
  CHECK(sampling.add({9.0, 740.0}) == Approx(0.15));
  for (int i = 0; i < 20; ++i) CHECK(sampling.add({9.0, 740.0}) <= 0.5);
  CHECK(sampling.add({9.0, 740.0}) == Approx(0.5));
  CHECK(sampling.add({2.0, 1000.0}) == 0);
  CHECK(sampling.add({9.0, 500.0}) == Approx(0.05));  // one in a row again
  CHECK(sampling.discarded() == 26);
  CHECK(sampling.seconds() == std::vector<double>{1, 2});
  CHECK(sampling.sm_mhz() == Approx(880));
}
