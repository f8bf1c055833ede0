#include <sqlite3.h>
#include <sys/stat.h>

#include "engine/base/signals.h"
#include "engine/store/jsonl.h"
#include "engine/store/runs.h"
#include "engine/store/store.h"
#include "tests/support/unit.h"

using namespace reg::store;

// Questions by SQL, and trials and results of suites that leave and enter as JSONL.

namespace {

std::shared_ptr<Store> open_store(const std::string& path) {
  auto store = Store::try_open(path);
  REQUIRE(store);
  return store;
}

/// A store with `count` finished trials in an investigation each.
std::shared_ptr<Store> filled(const std::string& path, int count) {
  auto store = open_store(path);
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

std::string record(int k) {
  return fmt::format(
      R"({{"model": {{"model_name": "m{}"}}, "experiment": {{}}, "metrics": {{"total_time": [9.5, NaN, 0.{}]}}, "n": {}}})"
      "\n",
      k % 7, k, k);
}

std::string records(int first, int last) {
  std::string text;
  for (int k = first; k < last; ++k) text += record(k);
  return text;
}

std::string exported(const TempFolder& folder, const std::string& store) {
  export_runs(store, folder / "out.jsonl");
  return read_file(folder / "out.jsonl");
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
    ++interrupt_count;
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
    ++interrupt_count;  // before it begins
    CHECK(again.step());
  }
}

TEST_CASE(
    "runs: a line comes out as it came in; however it is spaced it is the same, and any other difference counts") {
  const TempFolder folder;
  const auto imported = [&](const std::string& name, const std::string& text) {
    write_file(folder / "r.jsonl", text);
    return import_runs(*open_store(folder / name), {folder / "r.jsonl"});
  };
  const std::string text = "\t{\"model\":{ } ,\"experiment\" :{},\"metrics\": {\"a\":[ 1 ,0.50]}} \r\n";
  imported("a.db", "\n" + text + " \n");
  CHECK(exported(folder, folder / "a.db") == text);
  const ImportedRuns result =
      imported("r.db", R"({"model": {"a": 1}, "experiment": {}, "metrics": {"t": [0.5]}, "timestamp": 1}
{"model":{"a":1},"experiment":{},"metrics":{"t":[0.5]},"timestamp":1}
{"model": {"a": 1}, "experiment": {}, "metrics": {"t": [0.50]}, "timestamp": 1}
{"model": {"a": 1}, "experiment": {}, "metrics": {"t": [0.5]}, "timestamp": 1.0}
{"model": {"a": 1}, "experiment": {}, "metrics": {"u": [0.5]}, "timestamp": 1}
)");
  CHECK((result.imported == 4 && result.duplicates == 1));
}

TEST_CASE("runs: an import that fails leaves nothing behind, and the store as good as before") {
  const TempFolder folder;
  write_file(folder / "a.jsonl", records(0, 10));
  write_file(folder / "b.jsonl", records(10, 2000));
  const auto store = open_store(folder / "r.db");
  import_runs(*store, {folder / "a.jsonl"});
  CHECK_THROWS_AS(import_runs(*store, {folder / "b.jsonl", folder / "nowhere.jsonl"}), Error);
  CHECK(exported(folder, folder / "r.db") == records(0, 10));
  CHECK(import_runs(*store, {folder / "b.jsonl"}).imported == 1990);
  CHECK(exported(folder, folder / "r.db") == records(0, 2000));
}

TEST_CASE("runs: a store from before them gets the table, and keeps what it has") {
  const TempFolder folder;
  const std::string path = folder / "old.db";
  {
    const auto store = open_store(path);
    store->finish_investigation(store->begin({"kept", "", "", "{}", "{}"}), "{}");
    store->writer().run("DROP VIEW runs; DROP VIEW measurements; DROP TABLE suite_runs; PRAGMA user_version = 1");
  }
  write_file(folder / "a.jsonl", records(0, 50));
  // Only asked it stays as it is.
  CHECK(exported(folder, path).empty());
  const auto store = open_store(path);
  CHECK(import_runs(*store, {folder / "a.jsonl"}).imported == 50);
  CHECK(store->writer().integer("SELECT count(*) FROM investigations WHERE name = 'kept'") == 1);
  CHECK(store->writer().integer("PRAGMA user_version") == 4);
  CHECK(exported(folder, path) == records(0, 50));
}

// tests/scripts/test_old_store.sh has one that is not damaged.
TEST_CASE("runs: a damaged store of format 3 says what is missing when it is read, and opens nevertheless") {
  const TempFolder folder;
  const std::string stores = TEST_SUPPORT "/stores/", path = folder / "old.db";
  const auto restore = [&](const std::string& more) {
    for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(path + ending);
    Database(path, Database::Mode::read_write).run(read_file(stores + "suite_results.sql") + more);
  };
  for (const auto& [damage, what] :
       {std::pair{"DELETE FROM texts", "texts of a run are missing"},
        {"DELETE FROM run_numbers", "numbers of a run are missing"},
        {"UPDATE run_numbers SET numbers = zeroblob(8)", "numbers of a run are missing"},
        {"UPDATE run_blocks SET words = ''", "words of a run are missing"},
        {"UPDATE run_blocks SET spellings = ''", "spellings of a run are missing"},
        {"UPDATE run_blocks SET spellings = replace(spellings, '6 0.10 ', '9 0.10 ')", "spells a number"}}) {
    restore(damage);
    CHECK_THROWS_WITH(exported(folder, path), contains(what));
    std::string notice;
    show_notices([&](const std::string& line) { notice = line; });
    CHECK(open_store(path)->reader().integer("SELECT count(*) FROM runs") == 0);
    show_notices([](const std::string&) {});
    CHECK_THAT(notice, contains("the results of benchmark suites are damaged"));
    CHECK_THAT(notice, contains(what));
  }
}
