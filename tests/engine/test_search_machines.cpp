// Numbers of several machines in one search.

#include "tests/engine/test_search_play.h"

using namespace reg::search;

TEST_CASE("search machines: earlier numbers of another machine save runs") {
  int with = 0;
  int without = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Question q = metric(120);
    const Measure measure = steps({75}, 1.12, 0.01, seed);
    Search search(q);
    for (int place = 0; place < 120; place += 5)
      search.tell(place, std::get<double>(measure(place, 100)) * 0.8, {"other", std::nullopt});
    with += static_cast<int>(play(search, q, measure, 24, "here").places().size());
    without += play(q, measure).answer.runs;
  }
  INFO(with << " runs beside " << without);
  CHECK(with < without);
}

TEST_CASE("search machines: what no place links says nothing, and a run that links is asked for") {
  Search search(metric(10));
  search.tell(0, 100, {"a", std::nullopt});
  search.tell(9, 150, {"b", std::nullopt});
  CHECK(search.answer().changes.empty());
  CHECK(search.answer().verdict == Verdict::inconclusive);
  int links = 0;
  for (int run = 0; run < 20; ++run) {
    const std::vector<Request> round = search.ask();
    if (round.empty()) break;
    links += round[0].reason == Reason::link ? 1 : 0;
    search.tell(round[0].place, 100 + normal_of(1, 1, run), {"c", std::nullopt});
  }
  CHECK(links <= 2);
  CHECK(search.answer().verdict == Verdict::no_change);
}

TEST_CASE("search machines: a place that cannot be run here is not asked for again and again") {
  const Question q = metric(10);
  Search search(q);
  search.tell(0, 100, {"a", std::nullopt});
  for (int run = 0; run < 40; ++run) {
    const std::vector<Request> round = search.ask();
    if (round.empty()) break;
    if (round[0].place == 0) {
      search.tell_failed(0, Failure::broken);
    } else {
      search.tell(round[0].place, 50 + run % 2 * 0.1, {"b", std::nullopt});
    }
    REQUIRE(run < 39);
  }
  CHECK(search.answer().changes.empty());
}

TEST_CASE("search machines: two runs confirm a change that were made side by side, whenever they are told") {
  const auto runs_after = [](double at) {
    Search search(metric(3));
    for (int k = 0; k < 6; ++k) search.tell(0, 100 + 0.1 * k, {"a", -6.0 + k});
    for (int k = 0; k < 6; ++k) search.tell(2, 200 + 0.1 * k, {"a", 2.0 + k});
    search.tell(1, 200, {"a", at});
    int runs = 0;
    for (auto round = search.ask(); !round.empty() && runs < 20; round = search.ask()) {
      const int place = round[0].place;
      search.tell(place, (place == 0 ? 100 : 200) + 0.1 * runs, {"a", 10.0 + ++runs});
    }
    CHECK(is_step(search.answer(), 0, 1));
    return runs;
  };
  CHECK(runs_after(1) < runs_after(9));
}
