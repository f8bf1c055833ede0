#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

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
    const double late =
        -std::log(uniform_of(seed + 1, static_cast<std::uint64_t>(place), static_cast<std::uint64_t>(repeat)));
    return std::get<double>(plain(place, repeat)) * std::exp(noise * late);
  };
}

int runs_of(const Play& played, int place) { return played.asked[static_cast<std::size_t>(place)]; }

}  // namespace

TEST_CASE("named ends that are alike are compared in alternation, and nothing between them is run") {
  const Play played = play(named(100), steps({}, 1, 0.01, 4));
  CHECK(played.answer.verdict == Verdict::no_change);
  REQUIRE(played.answer.ends);
  CHECK(played.answer.ends->verdict == EndsFound::Verdict::same);
  CHECK(played.answer.ends->bound < 0.05);
  CHECK(played.answer.ends->bound >= std::fabs(played.answer.ends->effect.value));
  CHECK(runs_of(played, 0) + runs_of(played, 99) == played.answer.runs);
  CHECK(std::abs(runs_of(played, 0) - runs_of(played, 99)) <= 1);
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
  int exact = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const int at = step_place(seed, 60);
    const Play played = play(named(60), loaded({at}, 1.25, 0.13, seed));
    CHECK(played.answer.verdict != Verdict::no_change);
    exact += is_step(played.answer, at - 1, at) ? 1 : 0;
  }
  CHECK(exact >= 17);
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
      return 100 * std::exp(std::log(1.5) * place / 299 + 0.1 * normal_of(seed, static_cast<std::uint64_t>(place),
                                                                          static_cast<std::uint64_t>(repeat)));
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
    moves += places[k] != places[k - 1] ? 1 : 0;
  CHECK(moves <= 2);
  CHECK(is_step(played.answer, 39, 40));
  question.n = 7;
  const Play few = play(question, steps({4}, 1.2, 0.01, 2));
  const std::vector<int> order = few.places();
  int builds = 1;
  for (std::size_t k = 1; k < order.size(); ++k) builds += order[k] != order[k - 1] ? 1 : 0;
  CHECK(builds <= 14);
  CHECK(is_step(few.answer, 3, 4));
}
