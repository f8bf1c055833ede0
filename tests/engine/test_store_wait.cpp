#include <limits>
#include <string>
#include <vector>

#include "engine/base/notice.h"
#include "engine/store/wait.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;
using namespace reg::store;

TEST_CASE("store wait: one of those that wait tells of it after a second and every ten minutes, and none gives up") {
  const TempFolder folder;
  const auto store = Store::try_open(folder / "r.db");
  REQUIRE(store);
  std::vector<std::string> notices;
  show_notices([&](const std::string& line) { notices.push_back(line); });
  const Busy busy(ErrorKind::conflict, "database is locked");
  const double without_end = std::numeric_limits<double>::infinity();
  {
    LockWait one, other;
    double waited_s = 0;
    while (waited_s < 1900) {
      waited_s += one.after(busy, *store, without_end);
      other.after(busy, *store, without_end);
    }
  }
  LockWait impatient;
  CHECK_THROWS_AS(
      [&] {
        for (;;) impatient.after(busy, *store, 2);
      }(),
      Busy);
  show_notices([](const std::string&) {});
  REQUIRE(notices.size() == 5);
  CHECK(notices[0] == "waiting for " + store->path() + ", which another program has locked");
  CHECK(notices[1] == "still waiting for " + store->path() + ", which another program has locked: 10 min");
  CHECK(notices[3] == "still waiting for " + store->path() + ", which another program has locked: 30 min");
  CHECK(notices[4] == notices[0]);
}
