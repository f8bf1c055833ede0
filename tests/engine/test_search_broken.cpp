// Ranges of places that are broken for one reason.

#include <cmath>

#include "tests/engine/test_search_play.h"

using namespace reg::search;

namespace {

Question question(Kind kind, int n, int parallel = 1) {
  Question q = metric(n, parallel);
  q.kind = kind;
  if (kind != Kind::exact) q.min_effect = kind == Kind::flaky ? 0.5 : 0.05;
  return q;
}

double level(Kind kind, bool changed, int place, int repeat) {
  if (kind == Kind::exact) return changed ? 1 : 0;
  if (kind == Kind::flaky) return changed && uniform_of(7, place, repeat) < 0.9 ? 1 : 0;
  return (changed ? 120 : 100) * std::exp(0.004 * normal_of(7, place, repeat));
}

// A history with `length` broken places from `first` on, and a change at `at`.
struct History {
  int n, first, length, at;

  bool broken(int place) const { return place >= first && place < first + length; }
  int lo() const { return broken(at - 1) ? first - 1 : at - 1; }
  int hi() const { return broken(at) ? first + length : at; }
  int built(const Play& play) const {
    int count = 0;
    for (int place = first; place < first + length; ++place) count += play.asked[place];
    return count;
  }
};

Play play_history(const History& history, const Question& q) {
  return play(q, [&](int place, int repeat) -> Result {
    if (history.broken(place)) return Broken{"does not build"};
    return level(q.kind, place >= history.at, place, repeat);
  });
}

int most_built(int length) { return static_cast<int>(2 * std::log2(length)) + 4; }

}  // namespace

TEST_CASE("search broken: wherever a range and a change are, few of it are built, and the answer is exact") {
  for (const int n : {60, 200})
    for (const int length : {2, 5, 20, 51, 100})
      for (int first = 1; first + length < n; first += n / 15)
        for (int at = 1; at < n; at += at < first - 2 || at > first + length + 2 ? n / 20 : std::max(1, length / 7)) {
          INFO("n " << n << " broken " << first << " + " << length << " change at " << at);
          const History history{n, first, length, at};
          const Play played = play_history(history, question(Kind::exact, n));
          CHECK(is_step(played.answer, history.lo(), history.hi()));
          CHECK(history.built(played) <= most_built(length));
          CHECK(*std::max_element(played.asked.begin(), played.asked.end()) == 1);
        }
}

TEST_CASE("search broken: a number with noise, a flaky test and several at a time are spared the builds as well") {
  for (const Kind kind : {Kind::noisy, Kind::flaky, Kind::exact})
    for (const int parallel : {1, 4})
      for (const int at : {40, 90, 125, 151, 180}) {
        INFO("kind " << static_cast<int>(kind) << " parallel " << parallel << " change at " << at);
        const History history{200, 100, 51, at};
        const Play played = play_history(history, question(kind, 200, parallel));
        CHECK(is_step(played.answer, history.lo(), history.hi()));
        CHECK(history.built(played) <= most_built(51) + (parallel > 1 ? parallel : 0));
      }
}

TEST_CASE("search broken: ranges with different causes are bounded each, and what runs between them is found") {
  // 100..139 and 141..180; the change is at 140, which runs.
  const Play played = play(question(Kind::exact, 300), [](int place, int) -> Result {
    if (place >= 100 && place < 140) return Broken{"one"};
    if (place > 140 && place <= 180) return Broken{"other"};
    return place >= 140 ? 1.0 : 0.0;
  });
  CHECK(is_step(played.answer, 99, 140));
}

TEST_CASE("search broken: crashes make no range") {
  Search crashes(question(Kind::exact, 100));
  for (const int place : {10, 20, 30, 40, 50, 60}) crashes.tell_failed(place, Failure::crashed, "a");
  CHECK(crashes.answer().assumed.empty());
}

TEST_CASE("search broken: earlier results in what was assumed are believed, and builds are assumed as a whole") {
  Search search(question(Kind::exact, 100));
  for (const int place : {10, 20, 30, 40, 50}) search.tell_failed(place, Failure::broken, "a");
  CHECK(search.answer().assumed.size() == 4);
  search.tell(35, 1);
  CHECK(search.answer().assumed.empty());

  Question q = question(Kind::exact, 100);
  for (int i = 0; i < 100; ++i) q.builds.push_back(i / 2);
  Search pairs(q);
  for (const int place : {10, 20, 30, 40, 50}) pairs.tell_failed(place, Failure::broken, "a");
  REQUIRE(pairs.answer().assumed.size() == 4);
  CHECK(pairs.answer().assumed[0].first == 12);
  CHECK(pairs.answer().assumed[0].last == 19);
}
