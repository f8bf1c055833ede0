#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <variant>

#include "engine/search/search.h"
#include "tests/support/unit.h"

namespace reg::search {

/// The same for the same arguments, whatever was drawn before: in (0, 1), and standard normal.
inline double uniform_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL + a * 0xd1342543de82ef95ULL + b * 0xaf251af3b0f025b5ULL + 1;
  for (int k = 0; k < 2; ++k) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;
  }
  return (static_cast<double>(x >> 11) + 0.5) * 0x1p-53;
}
inline double normal_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  return std::sqrt(-2 * std::log(uniform_of(seed, a, b))) * std::cos(2 * M_PI * uniform_of(seed ^ 0x5a5a5a5a, a, b));
}

/// A place that is broken for a reason, which others may share.
struct Broken {
  const char* cause;
};

/// What a run gave. `repeat` counts the runs of a place from 0.
using Result = std::variant<double, Failure, Broken>;
using Measure = std::function<Result(int place, int repeat)>;

struct Play {
  Answer answer;
  std::vector<std::vector<Request>> rounds;
  std::vector<int> asked;  // by place, how often

  /// The places in the order they were asked for.
  std::vector<int> places() const {
    std::vector<int> all;
    for (const auto& round : rounds)
      for (const Request& request : round) all.push_back(request.place);
    return all;
  }
};

inline void tell(Search& search, int place, const Result& result, const std::string& machine = "") {
  if (const double* value = std::get_if<double>(&result)) {
    search.tell(place, *value, {machine, std::nullopt});
  } else if (const Broken* broken = std::get_if<Broken>(&result)) {
    search.tell_failed(place, Failure::broken, broken->cause);
  } else {
    search.tell_failed(place, std::get<Failure>(result));
  }
}

/// Plays a search to its end. What holds for every search is checked on the way.
inline Play play(Search& search, const Question& question, const Measure& measure, int told_before = 0,
                 const std::string& machine = "") {
  Play play;
  play.asked.assign(static_cast<std::size_t>(question.n), 0);
  int runs = told_before;
  for (auto round = search.ask(); !round.empty(); round = search.ask()) {
    play.rounds.push_back(round);
    REQUIRE(play.rounds.size() < 5000);
    REQUIRE(static_cast<int>(round.size()) <= question.parallel * question.ahead);
    std::set<int> once;
    for (const Request& request : round) {
      REQUIRE(request.place >= 0);
      REQUIRE(request.place < question.n);
      REQUIRE(once.insert(request.place).second);
      REQUIRE(request.lo >= 0);
      REQUIRE(request.hi < question.n);
      if (request.reason == Reason::split) REQUIRE((request.lo < request.place && request.place < request.hi));
      REQUIRE((request.p >= 0 && request.p <= 1));
      tell(search, request.place, measure(request.place, play.asked[request.place]++), machine);
      ++runs;
    }
    if (question.budget > 0) REQUIRE(runs <= question.budget);
  }
  play.answer = search.answer();
  REQUIRE(play.answer.runs == runs);
  REQUIRE(play.answer.rounds == static_cast<int>(play.rounds.size()));
  return play;
}
inline Play play(const Question& question, const Measure& measure) {
  Search search(question);
  return play(search, question, measure);
}

/// Of a number with noise; nothing else is said, or that a change of 1 % is looked for.
inline Question metric(int n, int parallel = 1) {
  Question q;
  q.n = n;
  q.parallel = parallel;
  return q;
}

inline Question one_percent(int n, int parallel = 1) {
  Question q = metric(n, parallel);
  q.min_effect = 0.01;
  return q;
}

/// A place away from both ends.
inline int step_place(std::uint64_t seed, int n) {
  const int inner = n - n / 8;
  return n / 16 + static_cast<int>(uniform_of(seed, 7, 7) * inner);
}

/// A level of 100 that is `ratio` times as large from each place of `steps` on, with noise of its logarithm.
inline Measure steps(std::vector<int> at, double ratio, double sigma = 0, std::uint64_t seed = 1) {
  return [at = std::move(at), ratio, sigma, seed](int place, int repeat) {
    double value = 100;
    for (const int step : at)
      if (place >= step) value *= ratio;
    return value * std::exp(sigma * normal_of(seed, place, repeat));
  };
}

/// For how many of the seeds from 1 to `count` it holds.
template <class F>
int seeds_with(int count, F holds) {
  int sum = 0;
  for (int seed = 1; seed <= count; ++seed) {
    INFO("seed " << seed);
    sum += holds(static_cast<std::uint64_t>(seed)) ? 1 : 0;
  }
  return sum;
}

/// The changes of an answer: "step 19>20, dip 29>30 37>38".
inline std::string places(const Answer& answer) {
  Strings changes;
  for (const Change& change : answer.changes) {
    changes.push_back(fmt::format("{} {}>{}", change.dip ? "dip" : "step", change.enter.lo, change.enter.hi));
    if (change.dip) changes.back() += fmt::format(" {}>{}", change.leave.lo, change.leave.hi);
  }
  return join(changes, ", ");
}

/// Whether the answer is one step, between exactly these two places.
inline bool is_step(const Answer& answer, int lo, int hi) {
  return answer.verdict == Verdict::changes && places(answer) == fmt::format("step {}>{}", lo, hi);
}

}  // namespace reg::search
