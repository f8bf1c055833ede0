#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "tests/search/score.h"

namespace reg::score {
namespace {

// In the order of search::Reason.
constexpr const char* kReasons[] = {"first look", "round", "split", "repeat", "confirm",
                                    "odd one",    "retry", "ends",  "chance", "link"};

void show_run(int run, const search::Request& request, const History::Result& result) {
  const std::string came = result.status == History::Result::ok             ? fmt::format("{:.5g}", result.value)
                           : result.status == History::Result::build_failed ? "does not build"
                                                                            : "crashed";
  fmt::print("{:>5}  place {:<6}{:<11}in {}..{} p {:.3f}  -> {}\n", run, request.place,
             kReasons[static_cast<int>(request.reason)], request.lo, request.hi, request.p, came);
}

void show_end(const History& history, const search::Answer& answer, const std::vector<Said>& said) {
  for (const Said& edge : said) fmt::print("said   ({}, {}]  p {:.4f}\n", edge.lo, edge.hi, edge.p);
  for (const search::Edge& edge : answer.doubts) fmt::print("doubt  ({}, {}]  p {:.4f}\n", edge.lo, edge.hi, edge.p);
  for (const Truth& truth : history.truth()) fmt::print("truth  ({}, {}]\n", truth.lo, truth.hi);
  fmt::print("noise {:.3g}, of builds {:.3g}, error left {:.3g}{}{}\n", answer.noise, answer.build_noise, answer.error,
             answer.why.empty() ? "" : "; unresolved: ", answer.why);
}

// The median of some runs, as changes are counted: of a metric its logarithm.
std::optional<double> measure(History& history, int place, int repeats) {
  std::vector<double> values;
  for (int k = 0; k < repeats; ++k) {
    const History::Result result = history.run(place);
    if (result.status == History::Result::build_failed) return std::nullopt;
    if (result.status != History::Result::ok) continue;
    values.push_back(history.question().kind == search::Kind::noisy ? std::log(result.value) : result.value);
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

}  // namespace

Played play_ours(History& history, int parallel, bool show) {
  search::Question question = history.question();
  question.parallel = parallel;
  search::Search search(question);
  for (auto round = search.ask(); !round.empty(); round = search.ask()) {
    for (const search::Request& request : round) {
      const History::Result result = history.run(request.place);
      if (show) show_run(history.runs(), request, result);
      if (result.status == History::Result::ok)
        search.tell(request.place, result.value);
      else
        search.tell_failed(
            request.place,
            result.status == History::Result::build_failed ? search::Failure::broken : search::Failure::crashed,
            "does not build");  // the worst case: all of them fail alike
    }
  }
  const search::Answer answer = search.answer();
  Played played{
      {}, answer.rounds, !answer.why.empty(), answer.verdict == search::Verdict::no_change, answer.resolution};
  for (const search::Change& change : answer.changes) {
    played.said.push_back(
        {change.enter.lo, change.enter.hi, change.enter.p, change.open, change.effect.low, change.effect.high});
    if (change.dip) played.said.push_back({change.leave.lo, change.leave.hi, change.leave.p, change.open});
  }
  if (show) show_end(history, answer, played.said);
  return played;
}

Played play_bisect(History& history, int repeats) {
  const search::Question& question = history.question();
  int lo = 0;
  int hi = question.n - 1;
  const std::optional<double> before = measure(history, lo, repeats), after = measure(history, hi, repeats);
  const double least = question.kind == search::Kind::noisy ? std::log1p(question.min_effect) : question.min_effect;
  if (!before || !after || std::fabs(*after - *before) < std::max(least, 1e-12)) return {};
  std::vector<bool> skipped(static_cast<std::size_t>(question.n));
  for (;;) {
    int next = lo;  // the untried place next to the middle
    for (int u = lo + 1; u < hi; ++u) {
      const int middle = lo + (hi - lo) / 2;
      if (!skipped[u] && (next == lo || std::abs(u - middle) < std::abs(next - middle))) next = u;
    }
    if (next == lo) return {{{lo, hi, 1}}};
    const std::optional<double> level = measure(history, next, repeats);
    if (!level)
      skipped[next] = true;
    else
      ((*level > (*before + *after) / 2) == (*after > (*before + *after) / 2) ? hi : lo) = next;
  }
}

}  // namespace reg::score
