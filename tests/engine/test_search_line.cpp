#include <cstdlib>

#include "engine/search/line.h"
#include "tests/support/catch.h"

using namespace reg::search;

namespace {

Question question(int n) {
  Question q;
  q.n = n;
  return q;
}

}  // namespace

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
