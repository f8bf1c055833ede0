#include <cmath>

#include "tests/engine/test_search_play.h"

using namespace reg::search;

namespace {

Question exact(int n, int parallel = 1) {
  Question q = metric(n, parallel);
  q.kind = Kind::exact;
  return q;
}

Measure passes_before(int first_bad) {
  return [first_bad](int place, int) { return place >= first_bad ? 1.0 : 0.0; };
}

int ceil_log2(int n) {
  int bits = 0;
  while ((1 << bits) < n) ++bits;
  return bits;
}

int most(const std::vector<int>& counts) { return *std::max_element(counts.begin(), counts.end()); }

}  // namespace

TEST_CASE("search exact: every step is found in ceil(log2 n) + 2 runs, and no place is run twice") {
  for (const int n : {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 127, 129}) {
    for (int at = 1; at < n; ++at) {
      INFO("n " << n << " step at " << at);
      const Play played = play(exact(n), passes_before(at));
      CHECK(is_step(played.answer, at - 1, at));
      CHECK(played.answer.changes[0].before.value == 0);
      CHECK(played.answer.changes[0].after.value == 1);
      CHECK(played.answer.runs <= ceil_log2(n) + 2);
      CHECK(most(played.asked) == 1);
    }
    CHECK(play(exact(n), passes_before(n)).answer.verdict == Verdict::no_change);
  }
  for (const int at : {1, 2, 49999, 50000, 77777, 99999}) {
    const Play played = play(exact(100000), passes_before(at));
    CHECK(is_step(played.answer, at - 1, at));
    CHECK(played.answer.runs <= ceil_log2(100000) + 2);
  }
}

TEST_CASE("search chance: good places that fail now and then are seen to, and the answer is right") {
  Question q = exact(100);
  q.chance = q.ends = true;
  for (const double rate : {0.02, 0.1, 0.2}) {
    int wrong = 0, runs = 0;
    INFO("rate " << rate);
    CHECK(seeds_with(60, [&](std::uint64_t seed) {
            const int at = 1 + static_cast<int>(uniform_of(seed, 1000, 0) * 99);
            const Play played = play(q, [&](int place, int repeat) -> Result {
              return place >= at || uniform_of(seed, place, repeat) < rate ? 1.0 : 0.0;
            });
            const bool named = is_step(played.answer, at - 1, at);
            wrong += !named && !played.answer.changes.empty() ? 1 : 0;
            runs += played.answer.runs;
            return named;
          }) >= 57);
    CHECK(wrong <= 2);
    CHECK(runs / 60 <= 45);
  }
}

TEST_CASE("search chance: one pass and one failure do not prove a change; to confirm it takes three more runs") {
  Question q = exact(64);
  q.chance = q.ends = true;
  const Play sure = play(q, passes_before(50));
  CHECK(is_step(sure.answer, 49, 50));
  CHECK(sure.answer.runs == 11);
  CHECK(sure.answer.changes[0].p > 0.99);
  CHECK(sure.answer.changes[0].p < 1);
  // The good end fails, or the bad one passes: each is run again before anything else.
  CHECK(play(q, passes_before(0)).asked[0] == 3);
  CHECK(play(q, passes_before(64)).asked[63] == 2);
}

TEST_CASE("search chance: no culprit where it fails at random since before the good end") {
  Question q = exact(50);
  q.chance = q.ends = true;
  CHECK(seeds_with(20, [&](std::uint64_t seed) {
          const Play played = play(
              q, [&](int place, int repeat) -> Result { return uniform_of(seed, place, repeat) < 0.3 ? 1.0 : 0.0; });
          return !played.answer.changes.empty();
        }) <= 1);
}

TEST_CASE("search exact: several at a time take fewer rounds and find the same") {
  for (const int parallel : {2, 3, 8, 40})
    for (const int n : {2, 5, 17, 100, 300})
      for (int at = 1; at < n; at += 1 + n / 13) {
        INFO("n " << n << " parallel " << parallel << " step at " << at);
        const Play played = play(exact(n, parallel), passes_before(at));
        CHECK(is_step(played.answer, at - 1, at));
        CHECK(most(played.asked) == 1);
        CHECK(played.answer.rounds <= std::ceil(std::log(n) / std::log(parallel + 1)) + 3);
      }
}

TEST_CASE("search exact: what cannot be built is passed by, asked for once, and the answer is as narrow as can be") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const int n = 150;
    const int at = 20 + static_cast<int>(110 * uniform_of(seed, 1, 1));
    const auto broken = [&](int place) { return place > 0 && place < n - 1 && uniform_of(seed, 2, place / 4) < 0.2; };
    for (const int parallel : {1, 4}) {
      INFO("seed " << seed << " parallel " << parallel << " step at " << at);
      const Play played = play(exact(n, parallel), [&](int place, int) -> Result {
        if (broken(place)) return Failure::broken;
        return place >= at ? 7.5 : -2.25;
      });
      int lo = at - 1, hi = at;
      while (broken(lo)) --lo;
      while (broken(hi)) ++hi;
      CHECK(is_step(played.answer, lo, hi));
      CHECK(most(played.asked) == 1);
      if (parallel == 1) CHECK(played.answer.runs <= ceil_log2(n) + 2 + 20);
    }
  }
}

TEST_CASE("search exact: a crash next to the change is tried once more, one elsewhere need not be") {
  const auto crashes = [](int place, int times) {
    return [place, times](int p, int repeat) -> Result {
      if (p == place && repeat < times) return Failure::crashed;
      return p >= 50 ? 1.0 : 0.0;
    };
  };
  for (const int place : {49, 50}) {
    INFO("crash at " << place);
    const Play once = play(exact(100), crashes(place, 1));
    CHECK(is_step(once.answer, 49, 50));
    CHECK(once.asked[place] == 2);
    CHECK(once.rounds.back()[0].reason == Reason::retry);
    const Play twice = play(exact(100), crashes(place, 1000));
    CHECK(is_step(twice.answer, place == 49 ? 48 : 49, place == 49 ? 50 : 51));
    CHECK(twice.asked[place] == 2);
  }
  const Play far = play(exact(100), crashes(25, 1));
  CHECK(is_step(far.answer, 49, 50));
  CHECK(far.asked[25] <= 1);
}

TEST_CASE("search exact: any difference is a change, however small, and both ends of a dip that was seen are found") {
  const Play tiny = play(exact(40), [](int place, int) { return place >= 13 ? 1.0 : 1.0 + 1e-15; });
  CHECK(is_step(tiny.answer, 12, 13));
  Question q = exact(64);
  q.min_width = 10;
  const Play dip = play(q, [](int place, int) { return place >= 20 && place < 30 ? 5.0 : 6.0; });
  CHECK(places(dip.answer) == "dip 19>20 29>30");
  CHECK(dip.answer.narrowest_dip <= 10);
}

TEST_CASE("search: one place that works is not enough to compare") {
  const Answer answer =
      play(exact(30), [](int place, int) { return place == 0 ? Result(1.0) : Failure::broken; }).answer;
  CHECK(answer.verdict == Verdict::inconclusive);
  CHECK_THAT(answer.why, contains("only one place"));
}
