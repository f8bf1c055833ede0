#include <cmath>

#include "engine/search/minimize.h"
#include "tests/search/minimize/simulated.h"
#include "tests/support/unit.h"

using namespace reg::search;
using reg::score::Items;
using reg::score::Simulated;

namespace {

// The answer where a subset gives what `measure` says, or nothing.
Minimal minimal(const Puzzle& puzzle, const std::function<std::optional<double>(const Subset&)>& measure,
                Failure failure = Failure::broken) {
  Minimize minimize(puzzle);
  while (const auto request = minimize.ask()) {
    if (const auto value = measure(request->on))
      minimize.tell(request->on, *value);
    else
      minimize.tell_failed(request->on, failure);
  }
  return minimize.answer();
}

}  // namespace

// minimize_score plays those with noise, and those that act together, beside its rivals.
TEST_CASE("minimize: a single item, and two that no run tells apart") {
  for (const int n : {1, 2}) {
    Puzzle puzzle{n, false};
    puzzle.budget = 4;
    int run = 0;
    const Minimal found =
        minimal(puzzle, [&](const Subset& on) { return (on[0] != 0 ? 3 : 1) * (1 + 0.01 * (run++ % 3)); });
    CHECK(found.effect.low > 1.5);
    CHECK(found.effect.high < 2.5);
    if (n == 1) {
      CHECK(found.rest.value == 0);
      CHECK(found.rest.high == 0);
    } else {
      CHECK(std::isnan(found.rest.high));
    }
  }
}

TEST_CASE("minimize: items that break all subsets that have them") {
  Items items;
  items.noise = 0;
  items.breakers = 2;
  Simulated simulated(items, 5);
  const Minimal answer = minimal({items.n, true}, [&](const Subset& on) { return simulated.run(on); });
  CHECK(answer.verdict == "found");
  CHECK(answer.excluded.size() == 2);
  CHECK(answer.failed > 0);
  REQUIRE(answer.culprits.size() == 1);
  CHECK(answer.culprits[0].items == simulated.causes()[0]);
}

TEST_CASE("minimize: no effect, no item that runs, a budget, and one item") {
  const auto five = [](const Subset&) { return 5; };
  const auto nothing = [](const Subset&) { return std::nullopt; };
  const Minimal same = minimal({8, false}, five);
  CHECK((same.verdict == "no_effect" && same.runs == 4));
  const Minimal broken = minimal({8, false}, nothing, Failure::crashed);
  CHECK((broken.verdict == "inconclusive" && broken.runs == 2));
  const Minimal alone =
      minimal({8, true}, [](const Subset& on) { return on == Subset(8) ? std::optional<double>(1) : std::nullopt; });
  CHECK((alone.excluded.size() == 8 && alone.why == "none of the items can be run"));
  Puzzle small = {8, true};
  small.budget = 4;
  const Minimal limited = minimal(small, [](const Subset& on) { return on[3] != 0 ? 2 : 1; });
  CHECK((limited.runs == 4 && limited.why == "the budget is spent"));
  const Minimal one = minimal({1, true}, [](const Subset& on) { return on[0] != 0 ? 2 : 1; });
  CHECK((one.culprits.size() == 1 && one.runs == 2 && one.verdict == "found"));
  CHECK_THROWS_AS(Minimize({0}), Error);
}

TEST_CASE("minimize: the same numbers give the same requests, and a request stays until it is told") {
  const auto requests = [](bool twice) {
    Minimize minimize({20, true});
    std::vector<Subset> asked;
    while (const auto request = minimize.ask()) {
      if (twice) CHECK(minimize.ask()->on == request->on);
      asked.push_back(request->on);
      minimize.tell(request->on, request->on[7] != 0 && request->on[11] != 0 ? 3 : 2);
    }
    CHECK(minimize.answer().culprits.at(0).items == std::vector<int>{7, 11});
    return asked;
  };
  CHECK(requests(false) == requests(true));
}
