#include "tests/search/player.h"

#include <fmt/format.h>

#include "engine/search/search.h"

namespace reg::score {
namespace {

const char* name_of(search::Reason reason) {
  switch (reason) {
    case search::Reason::first_look:
      return "first look";
    case search::Reason::split:
      return "split";
    case search::Reason::repeat:
      return "repeat";
    case search::Reason::confirm:
      return "confirm";
    case search::Reason::odd_one:
      return "odd one";
    case search::Reason::retry:
      return "retry";
    case search::Reason::chance:
      return "chance";
    case search::Reason::round:
      return "round";
    case search::Reason::ends:
      return "ends";
    case search::Reason::link:
      return "link";
  }
  return "?";
}

void show_run(int run, const search::Request& request, const History::Result& result) {
  const std::string came = result.status == History::Result::ok             ? fmt::format("{:.5g}", result.value)
                           : result.status == History::Result::build_failed ? "does not build"
                                                                            : "crashed";
  fmt::print("{:>5}  place {:<6}{:<11}in {}..{} p {:.3f}  -> {}\n", run, request.place, name_of(request.reason),
             request.lo, request.hi, request.p, came);
}

void show_end(const History& history, const search::Answer& answer, const std::vector<Said>& said) {
  for (const Said& edge : said) fmt::print("said   ({}, {}]  p {:.4f}\n", edge.lo, edge.hi, edge.p);
  for (const search::Edge& edge : answer.doubts) fmt::print("doubt  ({}, {}]  p {:.4f}\n", edge.lo, edge.hi, edge.p);
  for (const Truth& truth : history.truth()) fmt::print("truth  ({}, {}]\n", truth.lo, truth.hi);
  fmt::print("noise {:.3g}, of builds {:.3g}, error left {:.3g}{}{}\n", answer.noise, answer.build_noise, answer.error,
             answer.why.empty() ? "" : "; unresolved: ", answer.why);
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
  Played played;
  played.rounds = answer.rounds;
  played.resolution = answer.resolution;
  played.unresolved = !answer.why.empty();
  played.no_change = answer.verdict == search::Verdict::no_change;
  for (const search::Change& change : answer.changes) {
    played.said.push_back(
        {change.enter.lo, change.enter.hi, change.enter.p, change.open, change.effect.low, change.effect.high});
    if (change.dip) played.said.push_back({change.leave.lo, change.leave.hi, change.leave.p, change.open});
  }
  if (show) show_end(history, answer, played.said);
  return played;
}

}  // namespace reg::score
