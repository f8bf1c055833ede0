#include <cmath>

#include "tests/engine/test_search_play.h"

using namespace reg::search;

// Rounded to a step as large as twice the noise, repeats are equal half of the time.
TEST_CASE("search metric: numbers that a program rounds have noise") {
  for (const double unit : {1e-3, 1e6, 0x1p30}) {
    std::size_t false_ones = 0;
    CAPTURE(unit);
    CHECK(seeds_with(20, [&](std::uint64_t seed) {
            Question question = metric(40);
            question.ends = true;
            question.budget = 50;
            const auto exact = steps({20}, 1.5, 0.005, seed);
            const Answer answer = play(question, [&](int place, int repeat) -> Result {
                                    return unit * std::round(std::get<double>(exact(place, repeat)));
                                  }).answer;
            false_ones += answer.changes.size() > 1;
            return is_step(answer, 19, 20);
          }) >= 18);
    CHECK(false_ones <= 1);
  }
}

TEST_CASE("search metric: what the answer says of a change agrees with the numbers") {
  int covered = 0;
  CHECK(seeds_with(20, [&](std::uint64_t seed) {
          const Answer answer = play(metric(128), steps({50}, 1.1, 0.003, seed)).answer;
          if (!is_step(answer, 49, 50)) return false;
          const Change& change = answer.changes[0];
          CHECK((change.p > 0.5 && change.p <= 1));
          CHECK(change.effect.value == Approx(0.1).margin(0.02));
          CHECK(change.before.value == Approx(100).epsilon(0.02));
          CHECK(change.after.value == Approx(110).epsilon(0.02));
          for (const Estimate& e : {change.before, change.after, change.effect})
            CHECK((e.low <= e.value && e.value <= e.high));
          covered += change.effect.low <= 0.1 && 0.1 <= change.effect.high ? 1 : 0;
          CHECK(answer.error <= 0.02);
          CHECK((answer.noise > 0.0005 && answer.noise < 0.012));
          return true;
        }) >= 18);
  CHECK(covered >= 14);
}

TEST_CASE("search metric: the same question and the same numbers give the same requests") {
  for (const int parallel : {1, 4}) {
    Question q = metric(200, parallel);
    const Measure measure = steps({77}, 1.02, 0.004, 3);
    const std::vector<int> places = play(q, measure).places();
    CHECK(play(q, measure).places() == places);
    // Numbers of a round may come in any order, as when they were run says; and to look at the answer on the way
    // changes nothing.
    Search search(q);
    std::vector<int> asked, repeats(200);
    for (auto round = search.ask(); !round.empty(); round = search.ask()) {
      auto at = static_cast<double>(asked.size() + round.size());
      for (const Request& request : round) asked.push_back(request.place);
      std::reverse(round.begin(), round.end());
      for (const Request& request : round) {
        search.answer();
        const Result result = measure(request.place, repeats[request.place]++);
        search.tell(request.place, std::get<double>(result), {{}, at--});
      }
    }
    CHECK(asked == places);
  }
}

TEST_CASE("search metric: the budget is the most, also inside a round; what was told counts") {
  const Measure noise = steps({90}, 1.011, 0.01, 2);
  for (const int parallel : {1, 4})
    for (const int budget : {1, 2, 6, 9}) {
      INFO("budget " << budget << " parallel " << parallel);
      Question q = one_percent(200, parallel);
      q.budget = budget;
      const Play played = play(q, noise);
      CHECK(played.answer.runs <= budget);
      if (budget <= 6) CHECK(played.answer.runs == budget);  // the first look is not even done
      CHECK(played.answer.verdict == Verdict::inconclusive);
      CHECK_FALSE(played.answer.why.empty());
    }
  Question q = one_percent(200, 5);
  q.budget = 10;
  Search search(q);
  for (const Request& request : search.ask()) search.tell(request.place, 100);
  CHECK(search.ask().size() >= 2);
  for (const int place : {3, 4, 5}) search.tell(place, 100);
  CHECK(search.ask().size() == 2);
  for (const int place : {6, 7, 8}) search.tell(place, 100);
  CHECK(search.ask().empty());
}

TEST_CASE("search metric: numbers without noise, the ends, and lists of two") {
  CHECK(play(metric(300), steps({123}, 0.97)).answer.changes.at(0).effect.value == Approx(-0.03).margin(0.002));
  CHECK(play(metric(300), steps({}, 1)).answer.verdict == Verdict::no_change);
  CHECK(play(metric(300), [](int, int) { return 0.0; }).answer.verdict == Verdict::no_change);
  const auto finds = [](int n, int at) { return is_step(play(metric(n), steps({at}, 1.2, 0.001)).answer, at - 1, at); };
  CHECK((finds(64, 1) && finds(64, 63) && finds(2, 1) && finds(3, 2)));
  CHECK(play(metric(2), steps({}, 1, 0.001)).answer.changes.empty());
}

TEST_CASE("search metric: negative numbers and zeros have changes too") {
  const Play negative = play(metric(128), [](int place, int repeat) {
    return (place >= 70 ? -80 : -100) + 0.2 * normal_of(4, place, repeat);
  });
  REQUIRE(is_step(negative.answer, 69, 70));
  CHECK(negative.answer.changes[0].before.value == Approx(-100).epsilon(0.02));
  CHECK(negative.answer.changes[0].effect.value == Approx(0.2).margin(0.02));
  const Play from_zero = play(metric(128), [](int place, int) { return place >= 70 ? 5.0 : 0.0; });
  REQUIRE(is_step(from_zero.answer, 69, 70));
  CHECK(from_zero.answer.changes[0].before.value == Approx(0).margin(1e-6));
  CHECK(from_zero.answer.changes[0].after.value == Approx(5).margin(0.1));
}

TEST_CASE("search metric: one run that is absurdly far off is no change, nor does it hide one") {
  for (const double factor : {1e6, 1e-6, 1e300, 3.0})
    for (const int place : {0, 63, 127}) {
      INFO("times " << factor << " at " << place);
      const auto with = [&](std::vector<int> at) {
        return [&, measure = steps(std::move(at), 1.1, 0.002, 6)](int p, int repeat) -> Result {
          return std::get<double>(measure(p, repeat)) * (p == place && repeat == 0 ? factor : 1);
        };
      };
      CHECK(play(metric(128), with({})).answer.changes.empty());
      CHECK(is_step(play(metric(128), with({90})).answer, 89, 90));
    }
}

TEST_CASE("search metric: a change may have any size") {
  for (const double size : {8.0, 0.125, 1.5, 0.98, 12.0, 400.0, 0.0025, 1e6})
    for (const double noise : {0.002, 0.0})
      for (const double told : {0.01, 0.0}) {
        INFO("times " << size << ", noise " << noise << ", told " << told);
        Question few = metric(4);
        Question many = metric(100);
        few.min_effect = many.min_effect = told;
        CHECK(is_step(play(few, steps({2}, size, noise, 1)).answer, 1, 2));
        CHECK(is_step(play(many, steps({61}, size, noise, 1)).answer, 60, 61));
      }
}

TEST_CASE("search metric: what is small beside changes that were found does not keep the search going") {
  // Ten searches among 570 places with 3 % of noise.
  const auto check_ten = [](int runs_at_most, const std::function<double(int)>& level) {
    int runs = 0;
    CHECK(seeds_with(10, [&](std::uint64_t seed) {
            const Measure noise = steps({}, 1, 0.03, seed);
            const Answer answer = play(metric(570), [&](int place, int repeat) -> Result {
                                    return std::get<double>(noise(place, repeat)) * level(place);
                                  }).answer;
            runs += answer.runs;
            return answer.changes.size() >= 3 && answer.why.empty();
          }) >= 8);
    CHECK(runs <= 10 * runs_at_most);
  };
  // Over the second level the number falls by 12 %, a little with each place.
  check_ten(110, [](int place) {
    if (place < 39) return 7.5;
    if (place < 192) return 33 - 0.025 * (place - 39);
    return place < 206 ? 18.7 : 7.6;
  });
  // Builds differ by up to 3 % either way, and there are a step of 7 % and a temporary one of 8 %.
  check_ten(76, [](int place) {
    const double build = 0.97 + 0.06 * uniform_of(1, place, 1);
    if (place < 39) return 7.5 * build;
    if (place < 192) return (place < 73 ? 33 : 30.8) * build;
    if (place < 206) return 18.7 * build;
    return (place > 206 && place < 214 ? 8.2 : 7.6) * build;
  });
}

TEST_CASE("search metric: small differences between builds of numbers without noise are not reported") {
  const auto sizes = [](double step) {
    return [step](int place, int) { return 5e4 * (1 + 0.0002 * uniform_of(1, place, 1)) + (place >= 61 ? step : 0); };
  };
  CHECK(play(metric(100), sizes(0)).answer.verdict == Verdict::no_change);
  CHECK(is_step(play(metric(100), sizes(500)).answer, 60, 61));
  CHECK(is_step(play(metric(2), [](int place, int) { return place == 0 ? 56712.0 : 56887.0; }).answer, 0, 1));
}

TEST_CASE("search metric: load that lasts for some runs is not taken for a change: both sides are run back to back") {
  std::size_t false_ones = 0;
  seeds_with(40, [&](std::uint64_t seed) {
    const Measure quiet = steps({}, 1, 0.01, seed);
    int run = 0;
    const auto first = static_cast<int>(20 * uniform_of(seed, 11, 11));
    const Answer answer = play(metric(250), [&](int place, int repeat) -> Result {
                            const bool loaded = run >= first && run < first + 6;
                            ++run;
                            return std::get<double>(quiet(place, repeat)) * (loaded ? 1.15 : 1);
                          }).answer;
    false_ones += answer.changes.size();
    return true;
  });
  CHECK(false_ones <= 1);
}

TEST_CASE("search metric: where cuts tell nothing, a round has the runs that tell most") {
  const auto rounds = [](int parallel) {
    int sum = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Play played = play(one_percent(1000, parallel), steps({}, 1, 0.008, seed));
      CHECK(played.answer.verdict == Verdict::no_change);
      sum += played.answer.rounds;
    }
    return sum;
  };
  const int of_eight = rounds(8);
  CAPTURE(of_eight);
  CHECK(of_eight * 2 < rounds(1));
}
