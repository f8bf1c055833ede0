// What an answer claims: changes, stretches that hold one, what is excluded, what more would cost, and how named ends
// compare.

#include <cmath>

#include "tests/engine/test_search_play.h"

using namespace reg::search;

namespace {

Question named(int n) {
  Question question = metric(n);
  question.ends = true;
  return question;
}

// As a machine that others load: normal noise with a slow tail.
Measure loaded(std::vector<int> at, double ratio, double noise, std::uint64_t seed) {
  const Measure plain = steps(std::move(at), ratio, noise, seed);
  return [=](int place, int repeat) -> Result {
    return std::get<double>(plain(place, repeat)) * std::exp(-noise * std::log(uniform_of(seed + 1, place, repeat)));
  };
}

}  // namespace

TEST_CASE("search answer: where noise hides what is asked for, it finds what can be found, and says what more costs") {
  const Answer found = play(one_percent(500), steps({250}, 1.5, 0.08, 9)).answer;
  CHECK(is_step(found, 249, 250));
  CHECK(found.runs_for_finer > 1000);
  CHECK(play(one_percent(500), steps({250}, 1.5, 0.005, 9)).answer.finer == 0);
}

TEST_CASE("search answer: what was not narrowed down is the shortest stretch that holds it, with the price of a name") {
  CHECK(seeds_with(20, [](std::uint64_t seed) {
          Question q = metric(250);
          q.budget = 9;
          const Answer answer = play(q, steps({137}, 5, 0.02, seed)).answer;
          if (answer.verdict != Verdict::changes) return false;
          CHECK(answer.why == "the budget of 9 runs is spent");
          REQUIRE(answer.changes.size() == 1);
          const Change& change = answer.changes[0];
          CHECK(change.open);
          CHECK(change.p >= 0.95);
          CHECK((change.enter.lo < 137 && change.enter.hi >= 137));
          CHECK(change.enter.hi - change.enter.lo < 125);
          CHECK((change.runs_to_name >= 3 && change.runs_to_name <= 12));
          CHECK(answer.runs_to_resolve >= change.runs_to_name);
          CHECK(answer.resolution == 0);
          return true;
        }) >= 18);
}

TEST_CASE("search answer: two neighbors differ or do not, whatever smallest effect is named") {
  Question q = metric(2);
  q.min_effect = 0.05;
  CHECK(seeds_with(20, [&](std::uint64_t seed) {
          return is_step(play(q, steps({1}, 0.96, 0.005, seed)).answer, 0, 1);
        }) >= 19);
  CHECK(seeds_with(20, [&](std::uint64_t seed) {
          return play(q, steps({}, 1, 0.005, seed)).answer.verdict == Verdict::no_change;
        }) >= 19);
}

TEST_CASE("search answer: without a smallest effect, the noise says what can be found, and the answer says what was") {
  // A change of five times the noise, and one that is far below it: nobody said what size to look for.
  const auto answer = [](double ratio, std::uint64_t seed) {
    return play(metric(256), steps({step_place(seed, 256)}, ratio, 0.04, seed)).answer;
  };
  CHECK(seeds_with(20, [&](std::uint64_t seed) {
          return is_step(answer(1.2, seed), step_place(seed, 256) - 1, step_place(seed, 256));
        }) >= 18);
  int runs = 0;
  const int found_none = seeds_with(20, [&](std::uint64_t seed) {
    const Answer hidden = answer(1.002, seed);
    if (hidden.verdict != Verdict::no_change) return false;
    CHECK((hidden.resolution > 0.04 && hidden.resolution < 5 * 0.04));  // 3 times the noise, as it seems after few runs
    runs += hidden.runs;
    return true;
  });
  CHECK(found_none >= 18);
  CHECK(runs < 40 * found_none);
}

TEST_CASE("search answer: too few runs find no absence of changes") {
  Question q = metric(31);
  q.budget = 3;
  CHECK(seeds_with(20, [&](std::uint64_t seed) {
          return play(q, steps({28}, 0.88, 0.005, seed)).answer.verdict == Verdict::inconclusive;
        }) == 20);
}

TEST_CASE("search answer: an answer before the end says that the search goes on; numbers without noise have one") {
  Question question = metric(500);
  question.kind = Kind::exact;
  Search search(question);
  search.tell(0, 1);
  search.tell(499, 2);
  const Answer answer = search.answer();
  REQUIRE(is_step(answer, 0, 499));
  CHECK(answer.changes[0].open);
  CHECK(answer.why == "the search goes on");
  Search noisy(metric(100));
  for (int k = 0; k < 3; ++k)
    for (const Request& request : noisy.ask()) noisy.tell(request.place, 100 + request.place % 3);
  REQUIRE_FALSE(noisy.ask().empty());
  CHECK(noisy.answer().why == "the search goes on");
}

TEST_CASE("search answer: changes that leave a part of the difference of the ends unexplained say so") {
  const auto told = [](double last) {
    Question q = metric(100);
    Search search(q);
    for (const int place : {0, 10, 20, 30, 40, 49, 50, 60, 70, 80, 90, 99})
      for (const double run : {0.98, 1.01, 1.0, 0.99, 1.02})
        search.tell(place, (place == 99 ? last : place < 50 ? 100 : 150) * run);
    return search.answer();
  };
  CHECK(told(150).why.empty());
  CHECK_FALSE(told(150).unaccounted);
  const Answer answer = told(154);
  CHECK(is_step(answer, 49, 50));
  REQUIRE(answer.unaccounted);
  CHECK(answer.unaccounted->value == Approx(0.02).margin(0.01));
  CHECK(answer.unaccounted->low > 0);
}

TEST_CASE("search answer: no change excludes what was stated, and is not the answer where the noise hides that") {
  Question q = metric(100);
  q.exclude = 0.03;
  CHECK(seeds_with(10, [&](std::uint64_t seed) {
          const Answer sure = play(q, steps({}, 1, 0.02, seed)).answer;
          if (sure.verdict == Verdict::no_change) CHECK(sure.resolution <= 0.031);
          return sure.verdict == Verdict::no_change;
        }) >= 8);
  CHECK(seeds_with(10, [&](std::uint64_t seed) {
          const Answer noisy = play(q, steps({}, 1, 0.2, seed)).answer;
          CHECK(noisy.verdict != Verdict::no_change);
          return noisy.why.find("would hardly help") != std::string::npos && noisy.runs_to_resolve == 0;
        }) >= 6);
}

TEST_CASE("named ends that are alike are compared in alternation, and nothing between them is run") {
  const Play played = play(named(100), steps({}, 1, 0.01, 4));
  CHECK(played.answer.verdict == Verdict::no_change);
  REQUIRE(played.answer.ends);
  CHECK(played.answer.ends->verdict == EndsFound::Verdict::same);
  CHECK(played.answer.ends->bound < 0.05);
  CHECK(played.answer.ends->bound >= std::fabs(played.answer.ends->effect.value));
  CHECK(played.asked[0] + played.asked[99] == played.answer.runs);
  CHECK(std::abs(played.asked[0] - played.asked[99]) <= 1);
  CHECK(played.answer.resolution == 0);  // of what lies between nothing is claimed
}

TEST_CASE("a minimum effect bounds what ends that are alike may differ by") {
  Question question = named(100);
  question.min_effect = 0.01;
  const Play played = play(question, steps({}, 1, 0.01, 4));
  CHECK(played.answer.verdict == Verdict::no_change);
  CHECK(played.answer.ends->bound <= 0.0101);
}

TEST_CASE("a step of 25 % between named ends is found on a machine with 20 % noise") {
  for (const int n : {5, 9, 60}) {
    CAPTURE(n);
    CHECK(seeds_with(20, [n](std::uint64_t seed) {
            const int at = n == 60 ? step_place(seed, n) : 1 + static_cast<int>(seed) % (n - 1);
            const Play played = play(named(n), loaded({at}, 1.25, 0.13, seed));
            CHECK(played.answer.verdict != Verdict::no_change);
            return is_step(played.answer, at - 1, at);
          }) >= 17);
  }
}

TEST_CASE("40 runs that leave a difference of more than 10 % open are no \"no change\"") {
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Answer answer = play(named(60), loaded({30}, 1.15, 0.34, seed)).answer;
    CHECK(answer.verdict != Verdict::no_change);
    if (answer.verdict != Verdict::inconclusive || answer.ends->verdict != EndsFound::Verdict::same) continue;
    ++told;
    CHECK(answer.ends->bound > 0.1);
    CHECK(answer.finer == 0.1);
    CHECK((answer.runs_for_finer > answer.runs && answer.runs_for_finer < 2000));
  }
  CHECK(told >= 10);
}

TEST_CASE("a culprit that ceasing load feigns is not said before runs back to back show it") {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    int run = 0;
    const auto result = [&](int place, int repeat) -> Result {
      const double load = std::max(0.0, 1 - ++run / 100.0);
      return 100 * std::exp((place < 22 ? 0 : 0.14) + 0.3 * load + 0.25 * normal_of(seed, place, repeat));
    };
    for (const Change& change : play(named(40), result).answer.changes)
      wrong += change.p >= 0.95 && !change.open && change.enter.hi != 22 ? 1 : 0;
  }
  CHECK(wrong <= 2);  // 6 where runs that were not made back to back sufficed
}

TEST_CASE("ends that the budget cannot tell apart are inconclusive, with the runs that would tell") {
  Question question = named(100);
  question.budget = 12;
  const Play played = play(question, loaded({50}, 1.1, 0.2, 3));
  CHECK(played.answer.verdict == Verdict::inconclusive);
  CHECK(played.answer.ends->verdict == EndsFound::Verdict::open);
  CHECK(played.answer.ends->runs_to_tell > 0);
  CHECK(played.answer.changes.empty());
  CHECK(played.answer.why == "the budget of 12 runs is spent");
}

TEST_CASE("a slope between named ends is given in parts, which make up the difference of the ends") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Play played = play(named(300), [seed](int place, int repeat) -> Result {
      return 100 * std::exp(std::log(1.5) * place / 299 + 0.1 * normal_of(seed, place, repeat));
    });
    const Answer& answer = played.answer;
    CHECK(answer.verdict == Verdict::changes);
    REQUIRE(answer.ends);
    CHECK(answer.ends->verdict == EndsFound::Verdict::differ);
    if (!answer.changes.empty()) continue;  // one of several that look like a step
    REQUIRE_FALSE(answer.parts.empty());
    double product = 1;
    for (const Part& part : answer.parts) product *= 1 + part.effect.value;
    CHECK(product == Approx(1 + answer.ends->effect.value).epsilon(0.05));
    CHECK(answer.parts.front().lo == 0);
    CHECK(answer.parts.back().hi == 299);
    for (std::size_t k = 1; k < answer.parts.size(); ++k) CHECK(answer.parts[k].lo == answer.parts[k - 1].hi);
  }
}

TEST_CASE("where a build is dear the runs of an end are made together") {
  Question question = named(100);
  question.together = true;
  const Play played = play(question, steps({40}, 1.2, 0.01, 2));
  const std::vector<int> places = played.places();
  CHECK(std::count(places.begin(), places.begin() + 6, places[0]) >= 1);
  int moves = 0;
  for (std::size_t k = 2; k < places.size() && (places[k] == 0 || places[k] == 99); ++k)
    moves += places[k] != places[k - 1];
  CHECK(moves <= 2);
  CHECK(is_step(played.answer, 39, 40));
  question.n = 7;
  const Play few = play(question, steps({4}, 1.2, 0.01, 2));
  std::vector<int> builds = few.places();
  builds.erase(std::unique(builds.begin(), builds.end()), builds.end());
  CHECK(builds.size() <= 14);
  CHECK(is_step(few.answer, 3, 4));
}
