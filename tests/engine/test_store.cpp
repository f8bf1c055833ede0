#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <limits>
#include <set>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/store/store.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;
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

double number(Store& store, const std::string& sql) {
  Statement statement(store.reader().handle(), sql);
  REQUIRE(statement.step());
  return statement.real(0);
}

/// What is in a folder, by name.
std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found[entry.path().filename()] = read_file(entry.path());
  return found;
}

/// A forked copy of this test that runs `f` and is gone, killed if need be, when this is.
class Child {
 public:
  template <class F>
  explicit Child(F f) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      try {
        f(ends[1]);
      } catch (const std::exception&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    said_ = Fd(ends[0]);
  }
  ~Child() { kill(); }

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }
  int said() const { return said_.get(); }

 private:
  pid_t pid_ = 0;
  Fd said_;
};

}  // namespace

TEST_CASE("a trial comes back as it was stored") {
  const TempFolder folder;
  const std::string path = folder / "r.db";
  {
    const auto store = open_store(path);
    NewInvestigation investigation;
    investigation.name = "nights";
    NewTrial trial;
    trial.investigation = store->begin(investigation);
    trial.subject = "jax:2023-08-26/x y";
    trial.kind = "night";
    trial.key = "abc";
    trial.config_json = R"({"gpus":"all"})";
    const Trial started = store->start(trial);
    CHECK(started.folder == fmt::format("{}.out/jax_2023-08-26_x_y-{}", path, started.id));
    CHECK(std::filesystem::is_directory(started.folder));
    Result result = ok({{"mlups", {3, 1, 2}}, {"seconds", {1e-300}}});
    result.message = "fine";
    result.command_json = R"(["bash","t.sh"])";
    result.env_json = R"({"A":"1"})";
    result.info_json = R"({"digest":"sha256:1"})";
    result.wall_s = 55.5;
    result.peak_bytes = std::int64_t{1} << 40;
    store->finish(started.id, result);
    store->add_samples(started.id, "mlups", {4});
  }
  const auto store = open_store(path);
  const auto trials = store->trials({});
  REQUIRE(trials.size() == 1);
  const Trial& t = trials[0];
  CHECK(t.subject == "jax:2023-08-26/x y");
  CHECK(t.kind == "night");
  CHECK(t.key == "abc");
  CHECK(t.config_json == R"({"gpus":"all"})");
  CHECK(t.result.status == "ok");
  CHECK(t.result.message == "fine");
  CHECK(t.result.command_json == R"(["bash","t.sh"])");
  CHECK(t.result.env_json == R"({"A":"1"})");
  CHECK(t.result.info_json == R"({"digest":"sha256:1"})");
  CHECK(t.result.wall_s == 55.5);
  CHECK_FALSE(t.result.user_s);
  CHECK(t.result.peak_bytes == std::int64_t{1} << 40);
  CHECK(t.ended.value_or(0) >= t.started);
  CHECK(t.result.samples == Samples{{"mlups", {3, 1, 2, 4}}, {"seconds", {1e-300}}});
}

TEST_CASE("an unfinished investigation goes on where name, text and options are the same") {
  const TempFolder folder;
  const auto store = open_store(folder / "r.db");
  NewInvestigation investigation;
  investigation.name = "nights";
  investigation.text = "return 1";
  const auto id = store->begin(investigation);
  CHECK(store->begin(investigation) == id);
  auto other = investigation;
  other.text = "return 2";
  CHECK(store->begin(other) != id);
  other = investigation;
  other.options_json = R"({"a":1})";
  CHECK(store->begin(other) != id);
  store->finish_investigation(id, "{}");
  CHECK(store->begin(investigation) != id);
  CHECK(error_of([&] { store->finish_investigation(999, "{}"); }).kind() == ErrorKind::not_found);
}

TEST_CASE("a trial that was never finished is interrupted at the next opening") {
  const TempFolder folder;
  const std::string path = folder / "r.db";
  {
    const auto store = open_store(path);
    start(*store, store->begin({}), "a");
    CHECK(store->trials({}).at(0).result.status == "running");
  }
  CHECK(open_store(path)->trials({}).at(0).result.status == "interrupted");
}

TEST_CASE("a trial that is set aside keeps its numbers; one under way cannot be") {
  const TempFolder folder;
  const auto store = open_store(folder / "r.db");
  const auto trial = start(*store, store->begin({}), "a");
  CHECK(error_of([&] { store->set_aside(trial.id, "why"); }).kind() == ErrorKind::not_found);
  store->finish(trial.id, ok({{"mlups", {1}}}));
  store->set_aside(trial.id, "why");
  const Trial kept = store->trials({}).at(0);
  CHECK(kept.result.status == "set_aside");
  CHECK(kept.result.message == "why");
  CHECK(kept.result.samples == Samples{{"mlups", {1}}});
}

TEST_CASE("a sample that is not finite is refused, and nothing of its trial is kept") {
  const TempFolder folder;
  const auto store = open_store(folder / "r.db");
  const auto trial = start(*store, store->begin({}), "a");
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -HUGE_VAL}) {
    const Error error = error_of([&] { store->finish(trial.id, ok({{"a", {1}}, {"mlups", {1, bad}}})); });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK_THAT(error.what(), contains("mlups"));
    CHECK(error_of([&] { store->add_samples(trial.id, "mlups", {1, bad}); }).kind() == ErrorKind::usage);
  }
  CHECK(store->trials({}).at(0).result.status == "running");
  CHECK(number(*store, "SELECT count(*) FROM samples") == 0);
  store->finish(trial.id, ok({{"mlups", {1}}}));
  CHECK(store->trials({}).at(0).result.samples == Samples{{"mlups", {1}}});
}

TEST_CASE("a finished trial is never finished again") {
  const TempFolder folder;
  const auto store = open_store(folder / "r.db");
  const auto trial = start(*store, store->begin({}), "a");
  store->finish(trial.id, ok({{"mlups", {1}}}));
  Result other;
  other.status = "crashed";
  CHECK(error_of([&] { store->finish(trial.id, other); }).kind() == ErrorKind::conflict);
  CHECK(error_of([&] { store->finish(trial.id + 1, other); }).kind() == ErrorKind::not_found);
  CHECK(store->trials({}).at(0).result.status == "ok");
  CHECK(store->trials({}).at(0).result.samples == Samples{{"mlups", {1}}});
}

TEST_CASE("what is named and is not there is told by its number") {
  const TempFolder folder;
  const auto store = open_store(folder / "r.db");
  const Error investigation = error_of([&] { start(*store, 77, "a"); });
  CHECK(investigation.kind() == ErrorKind::not_found);
  CHECK_THAT(investigation.what(), contains("no investigation 77"));
  const Error trial = error_of([&] { store->add_samples(78, "mlups", {1}); });
  CHECK(trial.kind() == ErrorKind::not_found);
  CHECK_THAT(trial.what(), contains("no trial 78"));
  Result result;
  result.status = "fine";
  CHECK(error_of([&] { store->finish(1, result); }).kind() == ErrorKind::usage);
}

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
  char ready = 0;
  REQUIRE(::read(engine.said(), &ready, 1) == 1);
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
    char ready = 0;
    REQUIRE(::read(killed.said(), &ready, 1) == 1);
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

TEST_CASE("a store of a newer engine is refused and stays as it is") {
  const TempFolder folder;
  const std::string path = folder / "r.db";
  open_store(path)->writer().run("PRAGMA user_version = 99");
  const std::string before = read_file(path);
  const Error error = error_of([&] { Store::try_open(path); });
  CHECK(error.kind() == ErrorKind::conflict);
  CHECK_THAT(error.what(), contains("newer regengine"));
  CHECK(read_file(path) == before);
}

TEST_CASE("a full disk is an io error, what was finished stays, and with room it goes on") {
  const TempFolder folder;
  const std::string path = folder / "r.db";
  const std::vector<double> many(5000, 1.5);
  std::int64_t finished = 0;
  {
    const auto store = open_store(path);
    const auto investigation = store->begin({});
    store->writer().run("PRAGMA max_page_count = 120");
    Error full(ErrorKind::internal, "");
    while (full.kind() == ErrorKind::internal) {
      REQUIRE(finished < 100);
      const auto trial = start(*store, investigation, "s");
      try {
        store->finish(trial.id, ok({{"mlups", many}}));
        ++finished;
      } catch (const Error& error) {
        full = error;
      }
    }
    CHECK(full.kind() == ErrorKind::io);
    CHECK_THAT(full.what(), contains("No space left on device"));
    CHECK(finished >= 1);
    CHECK(number(*store, "SELECT count(*) FROM samples") == static_cast<double>(finished * 5000));
    store->writer().run("PRAGMA max_page_count = 100000");
    store->finish(start(*store, investigation, "s").id, ok({{"mlups", many}}));
  }
  const auto store = open_store(path);
  Filter filter;
  filter.status = "ok";
  CHECK(store->trials(filter).size() == static_cast<std::size_t>(finished) + 1);
}

TEST_CASE("a filter gives the trials that fit, oldest first") {
  const TempFolder folder;
  const auto store = open_store(folder / "r.db");
  NewInvestigation second;
  second.name = "second";
  const auto one = store->begin({}), two = store->begin(second);
  store->finish(start(*store, one, "a", "ka").id, ok({}));
  start(*store, one, "b", "kb");
  store->finish(start(*store, two, "a", "ka").id, ok({}));
  const auto ids = [&](const auto& narrow) {
    Filter filter;
    narrow(filter);
    std::vector<std::int64_t> found;
    for (const Trial& trial : store->trials(filter)) found.push_back(trial.id);
    return found;
  };
  using Ids = std::vector<std::int64_t>;
  CHECK(ids([](Filter&) {}) == Ids{1, 2, 3});
  CHECK(ids([&](Filter& f) { f.investigation = one; }) == Ids{1, 2});
  CHECK(ids([](Filter& f) { f.keys = {"ka"}; }) == Ids{1, 3});
  CHECK(ids([](Filter& f) { f.subject = "b"; }) == Ids{2});
  CHECK(ids([](Filter& f) { f.status = "ok"; }) == Ids{1, 3});
  CHECK(ids([](Filter& f) { f.limit = 2; }) == Ids{1, 2});
  CHECK(ids([&](Filter& f) { f.investigation = two, f.keys = {"ka"}, f.status = "ok"; }) == Ids{3});
  CHECK(ids([](Filter& f) { f.keys = {"none"}; }).empty());
  CHECK(ids([](Filter& f) { f.keys = {"none", "ka"}; }) == Ids{1, 3});
}
