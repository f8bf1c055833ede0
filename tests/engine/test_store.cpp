#include <sqlite3.h>

#include <limits>
#include <set>

#include "engine/store/open.h"
#include "engine/store/store.h"
#include "tests/support/unit.h"

using namespace reg::store;

namespace {

std::shared_ptr<Store> open_store(const std::string& path) {
  auto store = Store::try_open(path);
  REQUIRE(store);
  return store;
}

Trial start(Store& store, std::int64_t investigation, const std::string& subject, const std::string& key = "k") {
  NewTrial trial;
  trial.investigation = investigation;
  trial.subject = subject;
  trial.key = key;
  return store.start(trial);
}

Result ok(Samples samples) {
  Result result;
  result.status = "ok";
  result.samples = std::move(samples);
  return result;
}

/// What is in a folder, by name.
std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found[entry.path().filename()] = read_file(entry.path());
  return found;
}

}  // namespace

TEST_CASE("kill -9 at any moment loses no trial whose finish returned") {
  const TempFolder folder;
  const std::string path = folder / "r.db";
  std::set<std::int64_t> promised;
  for (int round = 0; round < 40; ++round) {
    Child engine([&](int out) {
      const auto store = Store::try_open(path);
      if (!store) ::_exit(1);
      const auto investigation = store->begin({});
      for (;;) {
        const Trial trial = start(*store, investigation, "s");
        store->finish(trial.id, ok({{"mlups", std::vector<double>(200, static_cast<double>(trial.id))}}));
        write_all(out, {reinterpret_cast<const char*>(&trial.id), sizeof trial.id}, "pipe");
      }
    });
    // The first rounds die while the store is being made, the later ones among the trials.
    std::this_thread::sleep_for(std::chrono::microseconds(300 * round * round / 4 + 500 * round));
    engine.kill();
    std::int64_t id = 0;
    while (::read(engine.said(), &id, sizeof id) == sizeof id) promised.insert(id);

    const auto store = open_store(path);
    CHECK(store->writer().integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0);
    std::set<std::int64_t> kept;
    for (const Trial& trial : store->trials({})) {
      if (trial.result.status == "ok") {
        kept.insert(trial.id);
        REQUIRE(trial.result.samples.at("mlups") == std::vector<double>(200, static_cast<double>(trial.id)));
      } else {
        REQUIRE(trial.result.status == "interrupted");
        REQUIRE(trial.result.samples.empty());
      }
    }
    REQUIRE(std::includes(kept.begin(), kept.end(), promised.begin(), promised.end()));
  }
  CHECK(promised.size() > 40);
}

TEST_CASE("an engine killed while it makes the store leaves one that opens") {
  const TempFolder folder;
  for (int round = 0; round < 60; ++round) {
    const std::string path = folder / fmt::format("{}.db", round);
    Child engine([&](int) {
      const auto store = Store::try_open(path);
      for (;;) start(*store, store->begin({}), "s");
    });
    std::this_thread::sleep_for(std::chrono::microseconds(200 * round));
    engine.kill();
    const auto store = open_store(path);
    store->finish(start(*store, store->begin({}), "s").id, ok({}));
  }
}

TEST_CASE("one engine at a time; a killed one leaves no lock") {
  const TempFolder folder;
  const std::string path = folder / "r.db";
  std::filesystem::create_symlink("r.db", folder / "other-name.db");
  Child engine([&](int out) {
    const auto store = Store::try_open(path);
    write_all(out, "x", "pipe");
    for (;;) ::pause();
  });
  engine.wait_for_byte();
  CHECK_FALSE(Store::try_open(path));
  CHECK(Store::lock_holder(path).starts_with(fmt::format("pid {} on ", engine.pid())));
  CHECK_FALSE(Store::try_open(folder / "other-name.db"));
  CHECK(Store::lock_holder(folder / "other-name.db") == Store::lock_holder(path));
  engine.kill();
  const auto store = open_store(path);
  CHECK(open_store(folder / "./r.db") == store);
  CHECK(open_store(folder / "other-name.db") == store);
}

TEST_CASE("a file that is no store is refused and not touched") {
  const TempFolder folder;
  const std::string path = folder / "r.db";
  const auto foreign = [&](const char* pragma) {
    Database other(path, Database::Mode::read_write);
    other.run(pragma);
    other.run("CREATE TABLE t(x); INSERT INTO t VALUES(1)");
  };
  std::string what;
  SECTION("text") { what = "not an SQLite file", write_file(path, "Dear diary"); }
  SECTION("bytes") { what = "not an SQLite file", write_file(path, std::string(5000, '\xA7')); }
  SECTION("another program's") { what = "another program's", foreign("PRAGMA application_id = 7"); }
  SECTION("another program's without an id") { what = "another program's", foreign("PRAGMA user_version = 1"); }
  SECTION("another program's, killed before its log was written back") {
    foreign("PRAGMA journal_mode = WAL");
    Child killed([&](int out) {
      Database other(path, Database::Mode::read_write);
      other.run("INSERT INTO t VALUES(2)");
      write_all(out, "x", "pipe");
      for (;;) ::pause();
    });
    killed.wait_for_byte();
    killed.kill();
    REQUIRE(std::filesystem::file_size(path + "-wal") > 0);
    what = "another program's";
  }
  const auto before = contents(folder.path());
  const Error error = error_of([&] { Store::try_open(path); });
  CHECK(error.kind() == ErrorKind::corrupt);
  CHECK_THAT(error.what(), contains(what));
  CHECK(contents(folder.path()) == before);
}

TEST_CASE("store wait: one of those that wait tells of it after a second and every ten minutes, and none gives up") {
  const TempFolder folder;
  const auto store = Store::try_open(folder / "r.db");
  REQUIRE(store);
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
  REQUIRE(notices.size() == 5);
  CHECK(notices[0] == "waiting for " + store->path() + ", which another program has locked");
  CHECK(notices[1] == "still waiting for " + store->path() + ", which another program has locked: 10 min");
  CHECK(notices[3] == "still waiting for " + store->path() + ", which another program has locked: 30 min");
  CHECK(notices[4] == notices[0]);
}
