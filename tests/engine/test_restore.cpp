#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <new>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/restore/ledger.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using reg::Error;
using reg::Fd;
using reg::read_file;
using reg::write_file;
using reg::test::TempFolder;
using namespace reg::restore;

namespace {

// A file with a value.
Kinds test_kinds() { return {{"file", rewrite_file}}; }

// The guardian as a fork of the test process.
Body forked() {
  return [](int socket, int journal, const std::string& path) {
    serve(Fd(socket), Journal(Fd(journal), path), test_kinds());
  };
}

struct Machine {
  TempFolder folder;
  std::string state = folder.path() + "/state";
  std::string a = folder.path() + "/a";
  std::string b = folder.path() + "/b";
  Machine() {
    write_file(a, "old a");
    write_file(b, "old b");
  }
  std::size_t journals() const {
    std::error_code none;
    const std::filesystem::directory_iterator entries(state, none);
    return none ? 0 : static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }
};

}  // namespace

TEST_CASE("restore: a ledger restores its pending changes on destruction, last change first") {
  const Machine machine;
  alignas(Change) static std::byte forgotten[2][sizeof(Change)];  // changes that only the ledger restores
  {
    Ledger ledger(machine.state, test_kinds(), forked());
    new (forgotten[0]) Change(ledger.announce({"file", machine.a, "first"}));
    new (forgotten[1]) Change(ledger.announce({"file", machine.a, "second"}));
    Change other = ledger.announce({"file", machine.b, "old b"});
    write_file(machine.b, "new b");
    other.undo();
    CHECK(read_file(machine.b) == "old b");
    CHECK(machine.journals() == 1);
  }
  CHECK(read_file(machine.a) == "first");
  CHECK(machine.journals() == 0);
}

TEST_CASE("restore: no acknowledgement, no change") {
  const Machine machine;
  SECTION("the guardian never came up") {
    Ledger ledger(machine.state, test_kinds(), [](int, int, const std::string&) { ::_exit(1); });
    REQUIRE_THROWS_WITH(ledger.announce({"file", machine.a, "old a"}), contains("the guardian process has exited"));
  }
  SECTION("the guardian knows no way to undo it") {
    Ledger ledger(machine.state, test_kinds(), [](int socket, int journal, const std::string& path) {
      serve(Fd(socket), Journal(Fd(journal), path), {});
    });
    REQUIRE_THROWS_WITH(ledger.announce({"file", machine.a, "old a"}), contains("cannot ensure that " + machine.a));
  }
  SECTION("the engine itself cannot open what undoing needs") {
    Ledger ledger(machine.state, test_kinds(), forked());
    REQUIRE_THROWS_WITH(ledger.announce({"file", machine.a + "/none", "x"}), contains("/none"));
  }
  SECTION("the journal cannot be written") {
    Ledger ledger("/dev/null/state", test_kinds(), forked());
    REQUIRE_THROWS_AS(ledger.announce({"file", machine.a, "old a"}), Error);
  }
  CHECK(machine.journals() == 0);
  CHECK(read_file(machine.a) == "old a");
}

TEST_CASE("restore: the next start undoes what the journal of a dead engine lists") {
  const Machine machine;
  std::filesystem::create_directories(machine.state);
  const std::string path = machine.state + "/dead-1.journal";
  const std::string boot = reg::engine_id().substr(0, reg::engine_id().find('-'));
  const auto journal = [&](const std::string& engine, const std::string& host) {
    write_file(path,
               fmt::format("{{\"engine\":\"{}\",\"host\":\"{}\"}}\n", engine, host) +
                   fmt::format("{{\"did\":1,\"kind\":\"file\",\"target\":\"{}\",\"value\":\"old a\"}}\n", machine.a) +
                   fmt::format("{{\"did\":2,\"kind\":\"file\",\"target\":\"{}\",\"value\":\"old b\"}}\n", machine.b) +
                   "{\"undone\":2}\n{\"did\":3,\"ki");  // a power cut in the middle of a line
  };
  write_file(machine.a, "new a");
  write_file(machine.b, "not ours");

  SECTION("of this boot") {
    journal(boot + "-999999999-1", reg::host_name());
    const Recovered recovered = recover(machine.state, test_kinds());
    REQUIRE(recovered.undone.size() == 1);
    CHECK(recovered.undone[0].target == machine.a);
    CHECK(recovered.failed.empty());
    CHECK(read_file(machine.a) == "old a");
    CHECK(read_file(machine.b) == "not ours");
    CHECK(machine.journals() == 0);
  }
  SECTION("of another machine that shares the folder: none of our business") {
    journal("00000bad-12-1", "another-host");
    CHECK(recover(machine.state, test_kinds()).undone.empty());
    CHECK(read_file(machine.a) == "new a");
    CHECK(machine.journals() == 1);
  }
  SECTION("what fails stays in the journal, with the reason") {
    journal(boot + "-999999999-1", reg::host_name());
    const Recovered failed = recover(machine.state, {});
    REQUIRE(failed.failed.size() == 1);
    CHECK_THAT(failed.failed[0].second, contains("unknown kind of change in the journal: 'file'"));
    CHECK(machine.journals() == 1);
    CHECK(recover(machine.state, test_kinds()).undone.size() == 1);
  }
  SECTION("a target that is there no more needs nothing") {
    journal(boot + "-999999999-1", reg::host_name());
    std::filesystem::remove(machine.a);
    CHECK(recover(machine.state, test_kinds()).failed.empty());
    CHECK(machine.journals() == 0);
  }
}
