#include <cmath>

#include "engine/cuda/sampling.h"
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

TEST_CASE("cuda statistics: a line through points, and how well it fits") {
  const Line rising = fit_line({1, 3, 5, 7});
  CHECK(rising.slope == Approx(2));
  CHECK(rising.r2 == Approx(1));
  // x 0..3, y 0 1 0 1: mean 1/2; xy = 1.5 * .5 - .5 * .5 + ... = 1, xx = 5, yy = 1
  const Line jagged = fit_line({0, 1, 0, 1});
  CHECK(jagged.slope == Approx(0.2));
  CHECK(jagged.r2 == Approx(0.2));
  CHECK(fit_line({3, 3, 3}).slope == 0);
  CHECK(fit_line({3, 3, 3}).r2 == 1);
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

TEST_CASE("cuda stopping by entropy: the entropy is that of the times seen") {
  EntropyStopping entropy(0.048, 0.36, 299);
  CHECK(entropy.entropy() == 0);
  for (const double seconds : {1, 2, 1, 2}) entropy.add(seconds);
  CHECK(entropy.entropy() == Approx(1));  // two times, equally often
  entropy.add(3);
  entropy.add(3);
  CHECK(entropy.entropy() == Approx(std::log2(3)));
  for (int i = 0; i < 6; ++i) entropy.add(1);
  // 8 of 12, 2 of 12, 2 of 12
  CHECK(entropy.entropy() == Approx(-(8.0 / 12) * std::log2(8.0 / 12) - 2 * (2.0 / 12) * std::log2(2.0 / 12)));
}

TEST_CASE("cuda stopping by entropy: it stops where nothing new is seen, and not while there is") {
  EntropyStopping same(0.048, 0.36, 299);
  same.add(1);
  CHECK(same.reason().empty());
  same.add(1);
  CHECK(same.reason() == "entropy");

  // Every time is a new one: the entropy of n is log2 n, and its angle over the window falls below the limit late.
  EntropyStopping fresh(0.048, 0.36, 299);
  int n = 0;
  for (; n < 5000 && fresh.reason().empty(); ++n) fresh.add(n);
  // d log2 n / dn = 1.4427 / n is the tangent of 0.048 degrees at n = 1722, the middle of the window.
  CHECK(n == Approx(1722 + 149).epsilon(0.01));
}

TEST_CASE("cuda stopping by entropy: a flat line that tells nothing of the variation does not stop") {
  // One of two times by turns, after two of each: the entropy swings about 1 and gets nowhere.
  EntropyStopping swinging(90, 0.36, 20);
  for (int i = 0; i < 40; ++i) swinging.add(i % 2);
  CHECK(swinging.reason().empty());
  EntropyStopping any(90, 0, 20);
  for (int i = 0; i < 40; ++i) any.add(i % 2);
  CHECK(any.reason() == "entropy");
}

namespace {

Sampling counting(int n, double clock_mhz = 1000, double timeout_s = 15, int least = 1) {
  SamplingOptions options;
  options.stopping = std::make_unique<CountStopping>(n);
  options.min_samples = least;
  options.timeout_s = timeout_s;
  options.clock_mhz = clock_mhz;
  return Sampling(std::move(options));
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
