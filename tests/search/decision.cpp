#include "tests/search/decision.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/search/search.h"
#include "tests/search/rivals.h"
#include "tests/search/traces.h"

namespace reg::score {
namespace {

constexpr int kHistories = 5;
constexpr int kAsks = 10;  // of each, so that there are still about as many places

void time_asks(std::uint64_t seed, int parallel, std::vector<double>& times) {
  Shape shape;
  shape.n = kDecisionPlaces;
  shape.steps = 3;
  shape.sigma = 0.01;
  Trace trace(shape, seed);
  search::Question question = trace.question();
  question.parallel = parallel;
  search::Search search(question);
  const auto run = [&](int place) { search.tell(place, trace.run(place).value); };
  auto round = search.ask();
  for (; !round.empty() && round.front().reason == search::Reason::first_look; round = search.ask()) {
    for (const search::Request& request : round) run(request.place);
  }
  const int rest = kDecisionRun - trace.runs();
  for (int k = 0; k < rest; ++k) run(static_cast<int>((k + 0.5) * kDecisionPlaces / rest));
  // The ask before was not told: it is due first, and no decision.
  for (const search::Request& request : round) run(request.place);
  for (int k = 0; k < kAsks; ++k) {
    const auto start = std::chrono::steady_clock::now();
    round = search.ask();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (round.empty()) return;
    for (const search::Request& request : round) run(request.place);
  }
}

}  // namespace

DecisionTime decision_time(int parallel) {
  std::vector<double> times;
  for (int k = 0; k < kHistories; ++k) time_asks(static_cast<std::uint64_t>(k), parallel, times);
  return {static_cast<int>(times.size()), median(times), *std::max_element(times.begin(), times.end())};
}

}  // namespace reg::score
