// What an answer claims: changes, stretches that hold one, what is excluded and what more would cost.

#include "tests/engine/test_search_play.h"

using namespace reg;
using namespace reg::search;

TEST_CASE("search answer: where noise hides what is asked for, it finds what can be found, and says what more costs") {
  const Answer none = play(one_percent(500), steps({250}, 1.01, 0.08, 9)).answer;
  CHECK(none.verdict == Verdict::inconclusive);  // "no change" claims no more than what was asked for
  CHECK(none.resolution > 0.08);
  CHECK(none.resolution < 4 * 0.08);
  CHECK(none.runs_for_finer > 1000);
  CHECK(none.runs < 60);
  const Answer found = play(one_percent(500), steps({250}, 1.5, 0.08, 9)).answer;
  CHECK(is_step(found, 249, 250));
  CHECK(found.runs_for_finer > 1000);
  CHECK(play(one_percent(500), steps({250}, 1.5, 0.005, 9)).answer.finer == 0);
}

TEST_CASE("search answer: what was not narrowed down is the shortest stretch that holds it, with the price of a name") {
  int open = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Question q = metric(250);
    q.budget = 9;
    const Answer answer = play(q, steps({137}, 5, 0.02, seed)).answer;
    if (answer.verdict != Verdict::changes) continue;
    ++open;
    CHECK(answer.why == "the budget of 9 runs is spent");
    REQUIRE(answer.changes.size() == 1);
    const Change& change = answer.changes[0];
    CHECK(change.open);
    CHECK(change.p >= 0.95);
    CHECK(change.enter.lo < 137);
    CHECK(change.enter.hi >= 137);
    CHECK(change.enter.hi - change.enter.lo < 125);
    CHECK(change.runs_to_name >= 3);
    CHECK(change.runs_to_name <= 12);
    CHECK(answer.runs_to_resolve >= change.runs_to_name);
    CHECK(answer.resolution == 0);
  }
  CHECK(open >= 18);
}

TEST_CASE("search answer: two neighbors differ or do not, whatever smallest effect is named") {
  int changed = 0;
  int same = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Question q = metric(2);
    q.min_effect = 0.05;
    changed += is_step(play(q, steps({1}, 0.96, 0.005, seed)).answer, 0, 1) ? 1 : 0;
    same += play(q, steps({}, 1, 0.005, seed)).answer.verdict == Verdict::no_change ? 1 : 0;
  }
  CHECK(changed >= 19);
  CHECK(same >= 19);
}

TEST_CASE("search answer: without a smallest effect, the noise says what can be found, and the answer says what was") {
  int right = 0;
  int found_none = 0;
  int runs = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const int at = step_place(seed, 256);
    // A change of five times the noise, and one that is far below it: nobody said what size to look for.
    const Answer plain = play(metric(256), steps({at}, 1.2, 0.04, seed)).answer;
    right += is_step(plain, at - 1, at) ? 1 : 0;
    const Answer hidden = play(metric(256), steps({at}, 1.002, 0.04, seed)).answer;
    if (hidden.verdict != Verdict::no_change) continue;
    ++found_none;
    CHECK(hidden.resolution > 0.04);
    CHECK(hidden.resolution < 5 * 0.04);  // 3 times the noise, as it seems after few runs
    runs += hidden.runs;
  }
  CHECK(right >= 18);
  CHECK(found_none >= 18);
  CHECK(runs < 40 * found_none);
}

TEST_CASE("search answer: too few runs find no absence of changes") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Question q = metric(31);
    q.budget = 3;
    CHECK(play(q, steps({28}, 0.88, 0.005, seed)).answer.verdict == Verdict::inconclusive);
  }
}

TEST_CASE("search answer: numbers without noise have one before the search is over") {
  Question question;
  question.n = 500;
  question.kind = Kind::exact;
  Search search(question);
  search.tell(0, 1);
  search.tell(499, 2);
  const Answer answer = search.answer();
  REQUIRE(answer.changes.size() == 1);
  CHECK(answer.changes[0].open);
  CHECK(answer.changes[0].enter.lo == 0);
  CHECK(answer.changes[0].enter.hi == 499);
  CHECK(answer.why == "the search goes on");
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
  CHECK(answer.verdict == Verdict::changes);
  REQUIRE(answer.changes.size() == 1);
  REQUIRE(answer.unaccounted);
  CHECK(answer.unaccounted->value == Approx(0.02).margin(0.01));
  CHECK(answer.unaccounted->low > 0);
}

TEST_CASE("search answer: where more runs would hardly help, none are asked for") {
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Question q = metric(1000);
    q.min_effect = 0.01;
    const Answer answer = play(q, steps({500}, 1.01, 0.02, seed)).answer;
    if (answer.why.find("would hardly help") == std::string::npos) continue;
    ++ended;
    CHECK(answer.runs_to_resolve == 0);
  }
  CHECK(ended >= 1);
}

TEST_CASE("search answer: no change excludes what was stated, and is not the answer where the noise hides that") {
  int fine = 0;
  int hidden = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    Question q = metric(100);
    q.exclude = 0.03;
    const Answer sure = play(q, steps({}, 1, 0.02, seed)).answer;
    if (sure.verdict == Verdict::no_change) {
      ++fine;
      CHECK(sure.resolution <= 0.031);
    }
    const Answer noisy = play(q, steps({}, 1, 0.2, seed)).answer;
    CHECK(noisy.verdict != Verdict::no_change);
    hidden += noisy.why.find("would hardly help") != std::string::npos && noisy.runs_to_resolve == 0 ? 1 : 0;
  }
  CHECK(fine >= 8);
  CHECK(hidden >= 6);
}

TEST_CASE("search answer: an answer that is told while runs are asked for says that the search goes on") {
  Search search(metric(100));
  for (int k = 0; k < 3; ++k)
    for (const Request& request : search.ask()) search.tell(request.place, 100 + request.place % 3);
  REQUIRE_FALSE(search.ask().empty());
  CHECK(search.answer().why == "the search goes on");
}
