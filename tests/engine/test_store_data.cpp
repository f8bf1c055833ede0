#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/signals.h"
#include "engine/store/jsonl.h"
#include "engine/store/store.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;
using namespace reg::store;

// Questions by SQL, and trials that leave and enter as JSONL.

namespace {

/// A store with `count` finished trials in an investigation each.
std::shared_ptr<Store> filled(const std::string& path, int count) {
  auto store = Store::try_open(path);
  REQUIRE(store);
  for (int i = 1; i <= count; ++i) {
    NewInvestigation investigation;
    investigation.name = "nights " + std::to_string(i);
    investigation.facts_json = R"({"driver":")" + std::to_string(i) + R"("})";
    NewTrial trial;
    trial.investigation = store->begin(investigation);
    trial.subject = "s" + std::to_string(i);
    trial.key = "k" + std::to_string(i);
    Result result;
    result.status = "ok";
    result.message = "\"quoted\", n\xC3\xBC\nand a second line";
    result.samples = {{"mlups", {0.1, 1e-300, 1.7976931348623157e308, static_cast<double>(i)}}};
    result.wall_s = 1.5;
    store->finish(store->start(trial).id, result);
  }
  return store;
}

}  // namespace

TEST_CASE("JSON that nests a million levels deep ends neither an export nor an import") {
  const TempFolder folder;
  const std::string lines = folder / "t.jsonl", deep = std::string(2'000'000, '[') + std::string(2'000'000, ']');
  const auto from = filled(folder / "from.db", 2);
  from->finish_investigation(1, deep);
  CHECK(export_jsonl(*from, lines, {}) == 2);
  const std::string whole = read_file(lines);
  NewTrial nested;
  nested.investigation = 1;
  nested.subject = nested.key = "nested";
  nested.config_json = deep;
  Result ok;
  ok.status = "ok";
  from->finish(from->start(nested).id, ok);
  from->writer().run("UPDATE investigations SET options = '" + deep + "', facts = '" + deep + "'");
  CHECK(export_jsonl(*from, lines, {}) == 2);
  std::string line = whole.substr(0, whole.find('\n') + 1);
  line.insert(1, "\"more\":" + deep + ",");
  write_file(lines, line + whole.substr(whole.find('\n') + 1));
  const Imported result = Import(lines).into(*filled(folder / "to.db", 0));
  CHECK(result.imported == 1);
  REQUIRE(result.bad.size() == 1);
  CHECK(result.bad[0].message.find("nested") != std::string::npos);
}

TEST_CASE("a trial under way is not exported, and one investigation can be exported alone") {
  const TempFolder folder;
  const std::string lines = folder / "t.jsonl";
  const auto store = filled(folder / "r.db", 3);
  NewTrial running;
  running.investigation = 1;
  running.subject = "running";
  store->start(running);
  CHECK(export_jsonl(*store, lines, {}) == 3);
  CHECK(export_jsonl(*store, lines, 2) == 1);
  CHECK(read_file(lines).find("\"s2\"") != std::string::npos);
}

TEST_CASE(
    "a stop signal ends what takes long in SQLite, on each kind of connection, but nothing that begins after it") {
  const TempFolder folder;
  const std::string path = folder / "r.db", count = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c ";
  filled(path, 1);
  using Mode = Database::Mode;
  for (const Mode mode : {Mode::read_write, Mode::read_only, Mode::store_read_only}) {
    Database database(path, mode);
    CHECK(database.integer(count + "LIMIT 1000000) SELECT count(*) FROM c") == 1'000'000);
    Statement rows(database.handle(), count + "LIMIT 1000000) SELECT x FROM c");
    REQUIRE(rows.step());
    count_interrupt();
    std::int64_t seen = 1;
    CHECK_THROWS_AS(
        [&] {
          while (rows.step()) ++seen;
        }(),
        Error);
    CHECK(seen < 1'000'000);
    CHECK(database.integer(count + "LIMIT 1000000) SELECT count(*) FROM c") == 1'000'000);
    if (mode == Mode::read_only) continue;
    Statement again(database.handle(), "SELECT x FROM (" + count + "LIMIT 1000000) SELECT x FROM c) WHERE x > ?");
    again.bind(1, std::int64_t{999'999});
    count_interrupt();  // before it begins
    CHECK(again.step());
  }
}
