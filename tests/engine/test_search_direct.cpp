#include <cmath>
#include <utility>

#include "tests/engine/test_search_play.h"

using namespace reg::search;

namespace {

// Milliseconds to sort an array with 1.24.4, 1.25.2, 1.26.4, 2.0.2, 2.1.3, 2.2.6 and 2.3.0 of a numerical library, on
// two busy cores, each value by a process of its own.
const std::vector<std::vector<double>> kReleases = {
    {0.500, 0.501, 0.490, 0.491},
    {1.920, 1.910, 1.899, 1.896, 1.918, 1.907, 1.887},
    {1.912, 1.945, 1.944, 1.929, 1.920, 1.890, 1.911, 1.914},
    {2.455, 2.224, 2.187, 2.197, 2.219, 2.136, 2.215, 2.189},
    {2.134, 2.194, 2.177, 2.159, 2.180, 2.155, 2.143, 2.194},
    {2.181, 2.213, 2.206, 2.477, 2.166, 2.266, 2.158, 2.163},
    {1.992, 1.976, 1.984},
};

// A number of runs with exactly this level and noise: the quantiles of a normal distribution, in an order of their own.
std::vector<double> runs_of(double level, double noise, int count) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) {
    const double part = (2 * ((k * 7 + 3) % count) + 1.0) / (2 * count);
    values.push_back(level * std::exp(noise * 4.91 * (std::pow(part, 0.14) - std::pow(1 - part, 0.14))));
  }
  return values;
}

double probability_between(const Answer& answer, int lo, int hi) {
  for (const Change& change : answer.changes)
    if (change.enter.lo == lo && change.enter.hi == hi) return change.p;
  for (const Edge& edge : answer.doubts)
    if (edge.lo == lo && edge.hi == hi) return edge.p;
  return 0;
}

}  // namespace

TEST_CASE("releases on a busy machine: each change is named, beside one that is thirty times as large") {
  const auto parallel = GENERATE(1, 2, 3, 7);
  const Play played = play(metric(static_cast<int>(kReleases.size()), parallel), [](int place, int repeat) -> Result {
    return kReleases[place][repeat % kReleases[place].size()];
  });
  const Answer& answer = played.answer;
  REQUIRE(places(answer) == "step 0>1, step 2>3, step 5>6");
  CHECK(answer.changes[0].effect.value == Approx(2.85).margin(0.1));
  CHECK(answer.changes[1].effect.value == Approx(0.14).margin(0.02));
  CHECK(answer.changes[2].effect.value == Approx(-0.09).margin(0.02));
  CHECK(answer.why.empty());
  CHECK(answer.doubts.empty());
  CHECK(answer.runs <= 30);
  REQUIRE(answer.table.size() == kReleases.size());
  CHECK_FALSE(answer.table[0].step);
  CHECK(answer.table[3].step->value == Approx(0.14).margin(0.02));
  CHECK(answer.table[3].from_first->value == Approx(3.4).margin(0.1));
}

TEST_CASE("two subjects that differ by five standard errors and more do so the surer the more often they are run") {
  const int n = GENERATE(2, 3, 7, 16, 17, 60, 300);
  const double times = GENERATE(3., 5., 12., 40., 400.);
  const bool alone = GENERATE(true, false);
  const double noise = 0.002;
  const int lo = n / 2 - 1;
  double before = 0;
  for (int count = 6; count <= 24; count += 3) {
    Search search(metric(n));
    const auto level = [&](int place) { return place <= lo ? 100 : 100 * std::exp(times * noise); };
    const auto tell_runs = [&](int place, int runs) {
      for (const double value : runs_of(level(place), noise, runs)) search.tell(place, value);
    };
    if (!alone)
      for (int k = 0; k < 7; ++k)
        if (const int place = k * (n - 1) / 6; place != lo && place != lo + 1) tell_runs(place, 1);
    for (int k = 0; k < count; ++k)
      for (const int place : {lo, lo + 1}) search.tell(place, runs_of(level(place), noise, count)[k]);
    const double p = probability_between(search.answer(), lo, lo + 1);
    CAPTURE(n, times, alone, count);
    CHECK(p >= before - 0.02);  // the noise is one of a ladder
    before = p;
  }
  CHECK(before > 0.95);
}

TEST_CASE("a single odd release is a change and its end, and a release that does not build is none") {
  const Play played = play(metric(8), [](int place, int repeat) -> Result {
    if (place == 6) return Failure::broken;
    return (place == 3 ? 110 : 100) * std::exp(0.005 * normal_of(3, place, repeat));
  });
  CHECK(places(played.answer) == "dip 2>3 3>4");
  CHECK(played.answer.table.size() == 7);
}

TEST_CASE("all of a long history is measured where that is asked for, and then what is in doubt") {
  Question question = metric(61);
  question.first_look = 61;
  const Play played = play(question, steps({20, 45}, 1.05, 0.01, 5));
  CHECK(places(played.answer) == "step 19>20, step 44>45");
  CHECK(std::count(played.asked.begin(), played.asked.end(), 0) == 0);
  CHECK(played.answer.runs < 100);
}

TEST_CASE("search direct: where builds are dear, drift between blocks of runs is not taken for a change") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Question q = metric(4);
    q.min_effect = 0;
    q.together = q.ends = true;
    int run = 0;
    const Play played = play(q, [&](int place, int repeat) -> Result {
      const double drift = run++ < 12 ? 0.015 : 0;
      return std::exp((place >= 2 ? 1.4 : 0) + drift + 0.001 * normal_of(seed, place, repeat));
    });
    CHECK(is_step(played.answer, 1, 2));
  }
}

TEST_CASE("search direct: of a long history, a machine that changes its speed is not taken for a change") {
  const auto drift = GENERATE(0.045, 0.105);
  const auto before = GENERATE(3, 10);
  const auto together = GENERATE(false, true);
  const auto parallel = GENERATE(1, 4);
  CAPTURE(drift, before, together, parallel);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    Question q = metric(30, parallel);
    q.first_look = 30;
    q.min_effect = 0.08;
    q.together = together;
    int run = 0;
    const Play played = play(q, [&](int place, int repeat) -> Result {
      const double slower = run++ < before ? drift : 0;
      return std::exp((place >= 19 ? 0.3 : 0) + slower + 0.005 * normal_of(seed, place, repeat));
    });
    CHECK(is_step(played.answer, 18, 19));
    CHECK(played.answer.runs < 70);
  }
}

TEST_CASE("search direct: what is needed whatever the results are is asked for some rounds ahead") {
  Question q = metric(30, 4);
  q.first_look = 30;
  q.ahead = 4;
  const Play played = play(q, steps({19}, 1.3, 0.005));
  CHECK(is_step(played.answer, 18, 19));
  CHECK(played.rounds[0].size() == 16);
  CHECK(played.rounds[1].size() == 14);
  for (std::size_t k = 2; k < played.rounds.size(); ++k) CHECK(played.rounds[k].size() <= 4);
}
