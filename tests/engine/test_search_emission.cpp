#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/search/emission.h"
#include "engine/search/posterior.h"
#include "tests/engine/test_search_play.h"
#include "tests/support/catch.h"

using namespace reg::search;

namespace {

Question question(Kind kind) {
  Question q;
  q.n = 64;
  q.kind = kind;
  q.min_effect = kind == Kind::flaky ? 0.25 : 0.01;
  q.max_error = 0.02;
  return q;
}

// Of a row around one level: the area under it, by its height.
double width_of(const Emission& emission, std::size_t runs) {
  const std::vector<double> ys(runs, 4.6);
  const Lattice lattice = emission.lattice({{0, ys}});
  double log_scale = 0;
  const Row row = emission.row(lattice, ys, log_scale);
  return std::accumulate(row.begin(), row.end(), 0.0) * lattice.step;
}

}  // namespace

TEST_CASE("search emission: the priors of the hypotheses are about one together, and noises of builds are among them") {
  for (const Kind kind : {Kind::noisy, Kind::flaky}) {
    double sum = 0;
    bool builds = false;
    for (const Hypothesis& h : hypotheses(question(kind))) {
      CHECK(h.prior > 0);
      sum += h.prior;
      builds = builds || h.emission->noise().build > 0;
    }
    CHECK(sum == Approx(1).margin(0.05));
    CHECK(builds == (kind == Kind::noisy));
  }
}

TEST_CASE("search emission: rows have a largest value of 1, and what they were scaled by is told") {
  const std::vector<double> ys{4.601, 4.604, 4.6, 4.9};
  for (const Hypothesis& h : hypotheses(question(Kind::noisy))) {
    const Emission& emission = *h.emission;
    INFO("noise " << emission.noise().run << " " << emission.noise().build);
    const Lattice lattice = emission.lattice({{0, ys}, {9, {4.7}}});
    REQUIRE(std::is_sorted(lattice.cells.begin(), lattice.cells.end()));
    double together = 0;
    const Row row = emission.row(lattice, ys, together);
    REQUIRE(row.size() == lattice.size());
    CHECK(*std::max_element(row.begin(), row.end()) == Approx(1));
    CHECK(*std::min_element(row.begin(), row.end()) >= 0);
    if (emission.noise().build > 0) continue;
    // Runs are independent: their densities multiply.
    std::vector<double> logs(lattice.size(), 0);
    for (const double y : ys) {
      double alone = 0;
      const Row one = emission.row(lattice, {y}, alone);
      CHECK(*std::max_element(one.begin(), one.end()) == Approx(1));
      for (std::size_t g = 0; g < one.size(); ++g) logs[g] += std::log(one[g]) + alone;
    }
    for (std::size_t g = 0; g < row.size(); ++g)
      if (row[g] > 1e-200) CHECK(std::log(row[g]) + together == Approx(logs[g]).margin(1e-6));
  }
}

TEST_CASE("search emission: the log scale is added to, not set") {
  const auto all = hypotheses(question(Kind::noisy));
  const Lattice lattice = all[0].emission->lattice({{0, {4.6}}});
  double from_zero = 0;
  double from_ten = 10;
  all[0].emission->row(lattice, {4.6}, from_zero);
  all[0].emission->row(lattice, {4.6}, from_ten);
  CHECK(from_ten == Approx(from_zero + 10));
}

TEST_CASE("search emission: repeats sharpen what is known of a run's level, but not of what its build added") {
  constexpr double kRoot2Pi = 2.5066;
  int plain = 0;
  int built = 0;
  for (const Hypothesis& h : hypotheses(question(Kind::noisy))) {
    const Emission& emission = *h.emission;
    INFO("noise " << emission.noise().run << " " << emission.noise().build);
    if (emission.noise().build == 0) {
      ++plain;
      CHECK(width_of(emission, 1) == Approx(emission.noise().run * kRoot2Pi).epsilon(0.25));
      CHECK(width_of(emission, 16) < 0.4 * width_of(emission, 1));
    } else {
      ++built;
      const double builds = emission.noise().build * kRoot2Pi;
      CHECK(width_of(emission, 16) > 0.9 * builds);
      CHECK(width_of(emission, 200) > 0.9 * builds);
    }
  }
  CHECK(plain > 0);
  CHECK(built > 0);
}

TEST_CASE("search emission: one number far off does not rule its level out") {
  for (const Hypothesis& h : hypotheses(question(Kind::noisy))) {
    INFO("noise " << h.emission->noise().run << " " << h.emission->noise().build);
    const std::vector<double> ys{4.6, 4.6, 5.6};
    const Lattice lattice = h.emission->lattice({{0, ys}});
    double ignored = 0;
    const Row row = h.emission->row(lattice, ys, ignored);
    const auto best = static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    CHECK(lattice.level(best) ==
          Approx(4.6).margin(3 * std::hypot(h.emission->noise().run, h.emission->noise().build)));
  }
}

TEST_CASE("search emission: a failure rate's row is Bernoulli's") {
  const auto all = hypotheses(question(Kind::flaky));
  REQUIRE(all.size() == 1);
  const Emission& emission = *all[0].emission;
  const std::vector<double> ys{1, 0, 0, 1, 0};
  const Lattice lattice = emission.lattice({{0, ys}});
  double log_scale = 0;
  const Row row = emission.row(lattice, ys, log_scale);
  CHECK(*std::max_element(row.begin(), row.end()) == Approx(1));
  for (std::size_t g = 0; g < row.size(); ++g) {
    const double p = lattice.level(g);
    REQUIRE((p > 0 && p < 1));
    CHECK(row[g] * std::exp(log_scale) == Approx(p * p * (1 - p) * (1 - p) * (1 - p)));
  }
  // Nothing known: the next run is Laplace's rule of succession.
  const Row level(lattice.size(), 1.0 / static_cast<double>(lattice.size()));
  const auto next = emission.outcomes(lattice, level, ys, 6);
  REQUIRE(next.size() == 2);
  CHECK(next[0].y == 0);
  CHECK(next[1].p == Approx(3.0 / 7).epsilon(0.01));
  CHECK(next[0].p + next[1].p == Approx(1));
}

TEST_CASE("search emission: outcomes of one more run are a distribution around what is known") {
  for (const Hypothesis& h : hypotheses(question(Kind::noisy))) {
    const std::vector<double> ys{4.6, 4.6};
    const double spread = std::hypot(h.emission->noise().run, h.emission->noise().build);
    const Lattice lattice = h.emission->lattice({{0, ys}, {1, {4.6 + 3 * spread}}});
    const Row level(lattice.size(), 1.0 / static_cast<double>(lattice.size()));
    double sum = 0;
    double mean = 0;
    for (const Outcome& outcome : h.emission->outcomes(lattice, level, ys, 6)) {
      sum += outcome.p;
      mean += outcome.p * outcome.y;
    }
    CHECK(sum == Approx(1));
    CHECK(std::fabs(mean - 4.6) < 2 * h.emission->noise().run);
  }
}

TEST_CASE("search posterior: levels apart are a change, equal ones are not, and futures are a distribution") {
  const Question q = question(Kind::noisy);
  const Line line(q);
  Posterior posterior(q, line);
  Samples samples;
  for (const int unit : {0, 16, 32, 47, 63}) {
    const auto u = static_cast<std::uint64_t>(unit);
    const double level = unit >= 40 ? 4.65 : 4.6;
    samples[unit] = {level + 0.001 * normal_of(1, u, 1), level + 0.001 * normal_of(1, u, 2)};
  }
  posterior.update(samples);
  REQUIRE(posterior.change().large.size() == 4);
  CHECK(posterior.change().large[2] > 0.95);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{3}})
    CHECK(posterior.change().large[k] < 0.05);
  CHECK(posterior.likeliest().run < 0.005);
  CHECK(posterior.present().any.size() == 4);
  for (const int unit : {16, 40}) {
    const bool known = samples.count(unit) > 0;
    double sum = 0;
    for (const Posterior::Future& future : posterior.futures(unit)) {
      sum += future.p;
      CHECK(future.change.any.size() == (known ? 4 : 5));
      for (std::size_t k = 0; k < future.change.any.size(); ++k) {
        CHECK(future.change.large[k] >= 0);
        CHECK(future.change.notable[k] >= future.change.large[k] - 1e-9);
        CHECK(future.change.any[k] >= future.change.notable[k] - 1e-9);
        CHECK(future.change.any[k] <= 1 + 1e-9);
      }
    }
    CHECK(sum == Approx(1));
  }
}
