#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/search/evidence.h"
#include "engine/search/line.h"
#include "engine/search/numbers.h"
#include "tests/support/catch.h"

using namespace reg::search;

namespace {

Shifts shifts_of(std::vector<double> any, std::vector<double> notable, std::vector<double> large) {
  Shifts shifts;
  shifts.any = std::move(any);
  shifts.notable = std::move(notable);
  shifts.large = std::move(large);
  return shifts;
}

Shifts all_large(const std::vector<double>& change) { return shifts_of(change, change, change); }

std::vector<Gap> gaps_of(const Line& line, const std::vector<int>& units, const Shifts& change) {
  std::vector<Gap> gaps;
  for (std::size_t k = 0; k + 1 < units.size(); ++k) {
    gaps.push_back(gap_of(line, units[k], units[k + 1]));
    gaps.back().p = probability(change, k, gaps.back().resolved());
  }
  return gaps;
}

Question question(int n) {
  Question q;
  q.n = n;
  return q;
}

std::vector<int> units_of(const std::vector<Request>& requests) {
  std::vector<int> units;
  for (const Request& request : requests) units.push_back(request.place);
  return units;
}

}  // namespace

TEST_CASE("search line: neighbours of one build are one unit, and an id that comes again later is another") {
  Question q = question(7);
  q.builds = {5, 5, 8, 8, 8, 5, 9};
  const Line line(q);
  REQUIRE(line.units() == 4);
  const std::vector<int> unit_of{0, 0, 1, 1, 1, 2, 3};
  for (int i = 0; i < q.n; ++i) CHECK(line.unit_of(i) == unit_of[static_cast<std::size_t>(i)]);
  CHECK(line.first_place(1) == 2);
  CHECK(line.last_place(1) == 4);
  CHECK(line.last_place(3) == 6);
  CHECK(line.mass(0, 3) == Approx(1));
  CHECK(line.mass(0, 1) == Approx(1.0 / 3));
}

TEST_CASE("search line: the prior's weights are masses, added up within a build; the first unit has none") {
  Question q = question(6);
  q.builds = {1, 1, 2, 2, 3, 4};
  q.prior = {100, 100, 1, 2, 1, 4};
  const Line line(q);
  CHECK(line.mass(0, 1) == Approx(3.0 / 8));
  CHECK(line.mass(1, 2) == Approx(1.0 / 8));
  CHECK(line.mass(2, 3) == Approx(0.5));
  CHECK(line.mass(0, 3) == Approx(1));
}

TEST_CASE("search line: bits say how many answers are left") {
  Line line(question(17));
  CHECK(line.bits(0, 16) == Approx(4));
  CHECK(line.bits(4, 8) == Approx(2));
  CHECK(line.bits(4, 5) == 0);
  CHECK(line.untested(0, 16) == 15);
  for (int u = 1; u <= 12; ++u) line.mark_failed(u, Failure::broken);
  CHECK(line.untested(0, 16) == 3);
  CHECK(line.bits(0, 16) == Approx(2));  // four answers are left
  CHECK(line.bits(0, 13) == 0);

  Question skewed = question(9);
  skewed.prior = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  CHECK(Line(skewed).bits(0, 8) == Approx(0).margin(1e-12));
  skewed.prior = {0, 0, 1, 0, 1, 0, 0, 0, 0};
  CHECK(Line(skewed).bits(0, 8) == Approx(1));
}

TEST_CASE("search line: the middle is where the mass is halved") {
  const Line even(question(101));
  CHECK(even.between(0, 100) == 50);
  CHECK(even.between(20, 40) == 30);
  CHECK(std::abs(even.between(0, 100, 0.25) - 25) <= 1);
  CHECK(even.between(3, 4) == -1);
  Question q = question(101);
  q.prior.assign(101, 1);
  for (int i = 80; i < 101; ++i) q.prior[static_cast<std::size_t>(i)] = 50;
  const int x = Line(q).between(0, 100);
  CHECK((x > 84 && x < 93));
  q.prior.assign(101, 0);  // knows nothing: by the places
  CHECK(std::abs(Line(q).between(0, 100) - 50) <= 1);
}

TEST_CASE("search line: where a run failed its neighbours are avoided, and never run again what failed") {
  Line line(question(101));
  line.mark_failed(50, Failure::broken);
  const int x = line.between(0, 100);
  CHECK(std::abs(x - 50) >= 2);
  CHECK(std::abs(x - 50) <= 25);
  Line all(question(6));
  for (int u = 1; u <= 3; ++u) all.mark_failed(u, Failure::broken);
  CHECK(all.between(0, 5) == 4);
  all.mark_failed(4, Failure::crashed);
  CHECK(all.between(0, 5) == -1);
}

TEST_CASE("search line: a cheap unit is preferred to a dear one") {
  Question q = question(101);
  q.cost.assign(101, 10);
  for (int i = 40; i <= 60; ++i) q.cost[static_cast<std::size_t>(i)] = 1000;
  q.repeat_cost = 2;
  Line line(q);
  const int x = line.between(0, 100);
  CHECK((x < 40 || x > 60));
  CHECK(line.cost(50) == 1000);
  line.mark_run(50);
  CHECK(line.cost(50) == 2);
}

TEST_CASE("search line: a crash may be tried again once, two are as good as broken") {
  Line line(question(10));
  line.mark_failed(4, Failure::crashed);
  CHECK(line.failed(4));
  CHECK(line.crash_between(0, 9) == 4);
  CHECK(line.crash_between(4, 9) == -1);
  line.mark_failed(4, Failure::crashed);
  CHECK(line.crash_between(0, 9) == -1);
  CHECK(line.failed(4));
  line.mark_failed(6, Failure::broken);
  CHECK(line.crash_between(0, 9) == -1);
  line.mark_failed(7, Failure::crashed);
  line.mark_run(7);
  CHECK_FALSE(line.failed(7));
  CHECK(line.crash_between(0, 9) == -1);
  line.mark_failed(7, Failure::broken);  // it gave a number once
  CHECK_FALSE(line.failed(7));
  CHECK(line.untested(3, 7) == 1);  // 5 alone
}

TEST_CASE("search line: what gave a number and failed twice since then is not repeated") {
  Line line(question(10));
  line.mark_failed(4, Failure::crashed);
  line.mark_run(4);
  line.mark_failed(4, Failure::broken);
  CHECK_FALSE(line.given_up(4));
  line.mark_failed(4, Failure::crashed);
  CHECK(line.given_up(4));
  CHECK(line.was_run(4));
  line.mark_failed(5, Failure::broken);
  line.mark_failed(5, Failure::broken);
  CHECK_FALSE(line.given_up(5));  // it never ran
}

TEST_CASE("search first look: both ends first, and no dip of min_width fits between two of its places") {
  for (const int n : {2, 3, 7, 50, 101, 1000})
    for (const int width : {0, 1, 3, 10, 400}) {
      INFO("n " << n << " width " << width);
      Question q = question(n);
      q.min_width = width;
      Line line(q);
      FirstLook look(q, line);
      CHECK(units_of(look.next(line, 1)) == std::vector<int>{0});
      CHECK(units_of(look.next(line, 2)) == std::vector<int>{0, n - 1});
      std::vector<int> units = units_of(look.next(line, 5000));
      CHECK(units.front() == 0);
      CHECK(units[1] == n - 1);
      REQUIRE(static_cast<int>(units.size()) == look.size());
      std::sort(units.begin(), units.end());
      for (std::size_t k = 1; k < units.size(); ++k) {
        CHECK(units[k] > units[k - 1]);
        if (width > 0) CHECK(units[k] - units[k - 1] <= width);
      }
    }
}

TEST_CASE("search first look: as many as asked for, a few at a time, until each was run") {
  Question q = question(100);
  q.first_look = 8;
  Line line(q);
  FirstLook look(q, line);
  int runs = 0;
  for (auto round = look.next(line, 3); !round.empty(); round = look.next(line, 3)) {
    REQUIRE(round.size() <= 3);
    for (const int unit : units_of(round)) {
      REQUIRE_FALSE(line.was_run(unit));
      line.mark_run(unit);
      ++runs;
    }
  }
  CHECK(runs == 8);
  Question exact = question(100);
  exact.kind = Kind::exact;
  CHECK(FirstLook(exact, Line(exact)).size() == 2);
  CHECK(FirstLook(question(1), Line(question(1))).size() == 1);
}

TEST_CASE("search first look: where both ends fail, each other place comes before one near an end") {
  const Question q = question(101);
  Line line(q);
  FirstLook look(q, line);
  std::vector<int> tried;
  while (tried.size() < 8) {
    tried.push_back(look.next(line, 1).at(0).place);
    line.mark_failed(tried.back(), Failure::broken);
  }
  CHECK(tried == std::vector<int>{0, 100, 67, 33, 17, 50, 83, 1});
}

TEST_CASE("search first look: a broken end is passed with doubling steps, and given up in the end") {
  Question q = question(5000);
  q.first_look = 2;
  Line line(q);
  FirstLook look(q, line);
  line.mark_run(4999);
  std::vector<int> tried;
  for (auto round = look.next(line, 1); !round.empty(); round = look.next(line, 1)) {
    REQUIRE(tried.size() < 100);
    tried.push_back(round[0].place);
    line.mark_failed(tried.back(), Failure::broken);
  }
  REQUIRE(tried.size() > 6);
  CHECK(std::vector<int>(tried.begin(), tried.begin() + 5) == std::vector<int>{0, 1, 3, 7, 15});
  CHECK(tried.back() >= 500);
}

TEST_CASE("search first look: between the ends a broken place is replaced nearby, a few times") {
  Question q = question(101);
  q.first_look = 3;
  Line line(q);
  FirstLook look(q, line);
  line.mark_run(0);
  line.mark_run(100);
  int tries = 0;
  for (auto round = look.next(line, 4); !round.empty(); round = look.next(line, 4)) {
    REQUIRE(round.size() == 1);
    REQUIRE(std::abs(round[0].place - 50) <= 10);
    line.mark_failed(round[0].place, Failure::broken);
    ++tries;
  }
  CHECK((tries >= 2 && tries <= 10));
}

TEST_CASE("search first look: where everything fails no place is asked for twice at a time") {
  for (const int n : {2, 3, 9, 21, 41, 60, 200}) {
    INFO("n " << n);
    const Question q = question(n);
    Line line(q);
    FirstLook look(q, line);
    int tries = 0;
    for (auto round = look.next(line, 50); !round.empty(); round = look.next(line, 50)) {
      std::vector<int> units = units_of(round);
      for (const int unit : units) {
        REQUIRE_FALSE(line.failed(unit));
        line.mark_failed(unit, Failure::broken);
        ++tries;
      }
    }
    CHECK(tries <= 60);
  }
}

TEST_CASE("search gaps: a large change is looked for, and one that is narrowed down may have any notable size") {
  const Shifts change = shifts_of({0.9, 0.9}, {0.8, 0.8}, {0.3, 0.3});
  const auto gaps = gaps_of(Line(question(11)), {0, 4, 5}, change);
  CHECK(gaps[0].p == Approx(0.3));
  CHECK(gaps[1].p == Approx(0.8 / (0.8 + 0.1 + 0.05 * 0.1)));           // against none, whatever its size is
  CHECK(probability(shifts_of({1}, {1e-9}, {1e-12}), 0, true) < 1e-6);  // certain, and too small to be said
  CHECK(probability(shifts_of({0}, {0}, {0}), 0, true) == 0);
}

TEST_CASE("search gaps: what is expected to be wrong, and what is open") {
  Line line(question(11));
  line.mark_failed(9, Failure::broken);
  const auto gaps = gaps_of(line, {0, 4, 5, 8, 10}, all_large({0.1, 0.9, 0.02, 0.7}));
  REQUIRE(gaps.size() == 4);
  CHECK(gaps[0].untested == 3);
  CHECK(gaps[0].bits == Approx(2));
  CHECK(gaps[1].resolved());
  CHECK(gaps[3].resolved());  // what lies between cannot be run
  CHECK(expected_error(gaps) == Approx(0.1 + 0.1 + 0.02 + 0.3));
  CHECK_FALSE(any_open(gaps));
  const auto open = gaps_of(line, {0, 4, 5}, all_large({0.6, 0.5}));
  CHECK(any_open(open));
  CHECK(expected_error(open) == Approx(0.6 + 0.5));
  CHECK(binary_entropy(0.5) == Approx(1));
  CHECK(binary_entropy(0) == 0);
  CHECK(binary_entropy(1) == 0);
  CHECK(binary_entropy(0.11) == Approx(binary_entropy(0.89)));
}

TEST_CASE("search scale: a positive metric is a logarithm, and comes back as it was") {
  const Samples told{{0, {100, 110}}, {3, {121}}};
  const Scale scale(Kind::noisy, told);
  CHECK(scale.inward(110) - scale.inward(100) == Approx(std::log(1.1)));
  CHECK(scale.outward({scale.inward(121), scale.inward(100), scale.inward(110)}).value == Approx(121));
  const Estimate effect = scale.effect({std::log(1.21), std::log(1.1), std::log(1.3)}, 100);
  CHECK(effect.value == Approx(0.21));
  CHECK(effect.low == Approx(0.1));
  CHECK(effect.high == Approx(0.3));
  CHECK(scale.inward_effect(0.01) == Approx(std::log(1.01)));
}

TEST_CASE("search scale: with zeros or negative numbers a change is a part of the usual size") {
  const Samples told{{0, {-50}}, {1, {-40}}, {2, {0}}, {3, {-50}}, {4, {-50}}};
  const Scale scale(Kind::noisy, told);
  CHECK(scale.inward(-40) - scale.inward(-50) == Approx(0.2));
  const Estimate back = scale.outward({scale.inward(-40), scale.inward(-50), scale.inward(0)});
  CHECK(back.value == Approx(-40));
  CHECK(back.low == Approx(-50));
  CHECK(scale.effect({10, 5, 15}, -50).value == Approx(0.2));  // up, though the level is negative
  CHECK(scale.effect({10, 5, 15}, 0).value == 10);             // a part of nothing is not a number
  CHECK(scale.inward_effect(0.01) == 0.01);
  const Samples zeros{{0, {0}}, {1, {0}}};
  CHECK(Scale(Kind::noisy, zeros).inward(0) == 0);
}

TEST_CASE("search scale: failure rates and exact values are left as they are") {
  const Samples told{{0, {0, 1}}, {1, {1}}};
  for (const Kind kind : {Kind::flaky, Kind::exact}) {
    const Scale scale(kind, told);
    CHECK(scale.inward(0.3) == 0.3);
    CHECK(scale.outward({0.5, 0.4, 0.6}).low == 0.4);
    CHECK(scale.effect({0.5, 0.4, 0.6}, 0.1).value == 0.5);
    CHECK(scale.inward_effect(0.25) == 0.25);
  }
}
