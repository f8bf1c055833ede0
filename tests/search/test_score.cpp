#include <cmath>

#include "tests/search/score.h"
#include "tests/support/catch.h"

using namespace reg::score;

namespace {

class TwoChanges : public History {
 public:
  TwoChanges() { truth_ = {{9, 10}, {20, 23}}; }

 private:
  Result draw(int) override { return {}; }
};

Outcome judged(const std::vector<Said>& said) {
  TwoChanges history;
  history.run(0);
  return judge(history, {said, 1, false});
}

}  // namespace

TEST_CASE("score: exact is every change at its place and nothing else") {
  CHECK(judged({{9, 10, 0.99}, {20, 23, 0.9}}).exact);
  CHECK(judged({{9, 10, 0.99}, {20, 23, 0.9}}).runs == 1);
  CHECK(judged({{9, 10, 0.99}, {20, 23, 0.9}}).claims == 1);

  const Outcome missed = judged({{9, 10, 0.99}});
  CHECK_FALSE(missed.exact);
  CHECK(missed.wrong == 0);

  const Outcome wider = judged({{9, 10, 0.99}, {20, 24, 0.99}});
  CHECK_FALSE(wider.exact);
  CHECK(wider.wrong == 1);
  CHECK(wider.claims == 2);
  CHECK(wider.claims_true == 1);

  const Outcome twice = judged({{9, 10, 0.99}, {9, 10, 0.99}, {20, 23, 0.99}});
  CHECK_FALSE(twice.exact);
  CHECK(twice.wrong == 1);
}

TEST_CASE("score: sums and percentiles of many outcomes") {
  std::vector<Outcome> outcomes(100);
  for (int k = 0; k < 100; ++k) outcomes[static_cast<std::size_t>(k)].runs = 100 - k;
  outcomes[7].wrong = 3;
  outcomes[8].exact = true;
  const Score score = sum_up(outcomes);
  CHECK(score.runs == 50.5);
  CHECK(score.runs_95 == 95);
  CHECK(score.runs_most == 100);
  CHECK(score.wrong == 0.03);
  CHECK(score.exact == 1);
}

TEST_CASE("score: Wilson's interval, against values from its formula by hand") {
  const Interval some = wilson(8, 10);
  CHECK(std::abs(some.low - 0.4902) < 1e-3);
  CHECK(std::abs(some.high - 0.9433) < 1e-3);
  CHECK(wilson(10, 10).high == 1);
  CHECK(std::abs(wilson(10, 10).low - 0.7225) < 1e-3);
  CHECK(wilson(0, 0).low == 0);
}
