#include <fmt/format.h>

#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/store/runs.h"
#include "engine/store/store.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::store;
using reg::test::TempFolder;

namespace {

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

std::shared_ptr<Store> open_store(const std::string& path) {
  auto store = Store::try_open(path);
  REQUIRE(store);
  return store;
}

std::string exported(const TempFolder& folder, const std::string& store) {
  export_runs(store, folder / "out.jsonl");
  return read_file(folder / "out.jsonl");
}

}  // namespace

TEST_CASE("runs: a line comes out as it came in, with all its blanks") {
  const TempFolder folder;
  const std::string text = "\t{\"model\":{ } ,\"experiment\" :{},\"metrics\": {\"a\":[ 1 ,0.50]}} \r\n";
  write_file(folder / "a.jsonl", "\n" + text + " \n");
  import_runs(*open_store(folder / "a.db"), {folder / "a.jsonl"});
  CHECK(exported(folder, folder / "a.db") == text);
}

TEST_CASE("runs: however a record is spaced it is the same; any other difference makes another") {
  const TempFolder folder;
  const std::string line = R"({"model": {"a": 1}, "experiment": {}, "metrics": {"t": [0.5]}, "timestamp": 1})";
  write_file(folder / "r.jsonl",
             line + "\n" + R"({"model":{"a":1},"experiment":{},"metrics":{"t":[0.5]},"timestamp":1})" + "\n" +
                 R"({"model": {"a": 1}, "experiment": {}, "metrics": {"t": [0.50]}, "timestamp": 1})" + "\n" +
                 R"({"model": {"a": 1}, "experiment": {}, "metrics": {"t": [0.5]}, "timestamp": 1.0})" + "\n" +
                 R"({"model": {"a": 1}, "experiment": {}, "metrics": {"u": [0.5]}, "timestamp": 1})" + "\n");
  const ImportedRuns result = import_runs(*open_store(folder / "r.db"), {folder / "r.jsonl"});
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
