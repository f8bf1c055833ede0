#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "engine/base/file.h"
#include "engine/guard/trust_store.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"

using namespace reg;
using reg::test::kind_of;
using reg::test::TempFolder;

TEST_CASE("trust store: the file is private, and one that others can write is refused") {
  const TempFolder folder;
  const std::string file = folder / "state/trusted";
  TrustStore store(file);
  store.trust("/home/u/mine");
  struct stat info {};
  REQUIRE(stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(store.trusted_path("/home/u/mine/a/b.lua") == "/home/u/mine");
  CHECK(store.trusted_path("/home/u/minerva.lua").empty());
  std::filesystem::permissions(file, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  CHECK(kind_of([&] { store.trusted_path("/home/u/mine/a"); }) == ErrorKind::permission);
}

TEST_CASE("trust store: forgetting a folder forgets the decisions about its scripts, and broken lines permit nothing") {
  const TempFolder folder;
  const std::string file = folder / "trusted";
  TrustStore store(file);
  const auto decision = [](const std::string& script, const std::string& hash) {
    return Decision{script, hash, "/w", {"-x"}, {}, {}, false};
  };
  store.save(decision("/a/s.lua", "abc"));
  store.save(decision("/b/s.lua", "abc"));
  CHECK(store.find(decision("/a/s.lua", "abc")));
  CHECK_FALSE(store.find(decision("/a/s.lua", "abd")));
  CHECK_FALSE(store.find({"/a/s.lua", "abc", "/v", {"-x"}, {}, {}, false}));
  CHECK_FALSE(store.find({"/a/s.lua", "abc", "/w", {"-y"}, {}, {}, false}));
  store.save({"/a/t.lua", "abc", "", {}, {}, {}, true});
  CHECK(store.find(decision("/a/t.lua", "abc")));  // everything, wherever it runs
  CHECK(store.forget("/a"));
  CHECK_FALSE(store.forget("/a"));
  CHECK_FALSE(store.find(decision("/a/s.lua", "abc")));
  CHECK(store.find(decision("/b/s.lua", "abc")));
  write_file(file, "{\"trust\": 3}\nnot json\n{\"trust\":\"relative\"}\n{\"sha256\":\"x\",\"permits\":[1]}\n", 0600);
  CHECK(store.trusted_paths().empty());
  CHECK_FALSE(store.find(decision("/b/s.lua", "abc")));
}

TEST_CASE("trust store: a file that root writes in a user's folder stays the user's") {
  if (geteuid() != 0) {
    WARN("SKIPPED: only root keeps something in the folder of another");
    return;
  }
  const TempFolder folder;
  REQUIRE(chown((folder / "").c_str(), 12345, 12345) == 0);
  const std::string file = folder / "trusted";
  TrustStore store(file);
  store.trust("/home/u/mine");
  struct stat info {};
  REQUIRE(stat(file.c_str(), &info) == 0);
  CHECK(info.st_uid == 12345);
  CHECK(store.trusted_path("/home/u/mine/x.lua") == "/home/u/mine");
}
