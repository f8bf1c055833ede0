#include <limits>

#include "engine/base/ids.h"
#include "engine/store/open.h"
#include "engine/store/store.h"
#include "tests/support/unit.h"

// What a user reaches too rarely to test it there: kills, waits and signals at chosen moments.

using namespace reg::store;

namespace {

std::shared_ptr<Store> open_store(const std::string& path) {
  auto store = Store::try_open(path);
  REQUIRE(store);
  return store;
}

Trial start(Store& store) {
  Trial trial;
  trial.investigation = store.begin({});
  trial.subject = trial.key = "s";
  return store.start(trial);
}

}  // namespace

TEST_CASE("an engine killed while it makes the store leaves one that opens") {
  const TempFolder folder;
  Result ok;
  ok.status = "ok";
  for (int round = 0; round < 60; ++round) {
    const std::string path = folder / fmt::format("{}.db", round);
    {
      const Child engine([&] {
        const auto store = Store::try_open(path);
        for (;;) start(*store);
      });
      std::this_thread::sleep_for(std::chrono::microseconds(200 * round));
    }
    const auto store = open_store(path);
    store->finish(start(*store).id, ok);
  }
}

TEST_CASE("store wait: one of those that wait tells of it after a second, and none gives up") {
  const TempFolder folder;
  const auto store = open_store(folder / "r.db");
  Strings notices;
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
  CHECK(notices == Strings(2, "waiting for " + store->path() + ", which another program has locked"));
}

TEST_CASE(
    "a stop signal ends what takes long in SQLite, on each kind of connection, but nothing that begins after it") {
  const TempFolder folder;
  const std::string path = folder / "r.db", count = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c ";
  open_store(path);
  for (const Access access : {Access::write, Access::read}) {
    Database database(path, access);
    CHECK(database.integer(count + "LIMIT 1000000) SELECT count(*) FROM c") == 1'000'000);
    Statement rows(database.handle(), count + "LIMIT 1000000) SELECT x FROM c");
    REQUIRE(rows.step());
    ++interrupt_count;
    std::int64_t seen = 1;
    CHECK_THROWS_AS(
        [&] {
          while (rows.step()) ++seen;
        }(),
        Error);
    CHECK(seen < 1'000'000);
    CHECK(database.integer(count + "LIMIT 1000000) SELECT count(*) FROM c") == 1'000'000);
    Statement again(database.handle(), "SELECT x FROM (" + count + "LIMIT 1000000) SELECT x FROM c) WHERE x > ?");
    again.bind(1, std::int64_t{999'999});
    ++interrupt_count;  // before it begins
    CHECK(again.step());
  }
}
