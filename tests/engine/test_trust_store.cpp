#include <sys/stat.h>

#include "engine/guard/trust_store.h"
#include "tests/support/unit.h"

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

TEST_CASE("trust store: no link is followed, and its folders are the user's alone whatever the umask") {
  const TempFolder folder;
  const mode_t umask_before = umask(0);
  const std::string state = folder / "state/regengine", file = state + "/trusted";
  TrustStore store(file);
  store.trust("/home/u/mine");
  umask(umask_before);
  struct stat info {};
  for (const std::string& made : {folder / "state", state}) {
    REQUIRE(stat(made.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
  }
  const std::string other = folder / "other";
  write_file(other, "precious");
  if (geteuid() == 0) {
    for (const std::string& made : {state, file, file + ".lock"}) REQUIRE(chown(made.c_str(), 12345, 12345) == 0);
    REQUIRE(stat(other.c_str(), &info) == 0);
    REQUIRE(info.st_uid == 0);
  }
  for (const std::string& linked : {file + ".lock", file})
    for (const bool symbolic : {true, false}) {
      std::filesystem::remove(linked);
      REQUIRE((symbolic ? symlink(other.c_str(), linked.c_str()) : link(other.c_str(), linked.c_str())) == 0);
      CHECK(kind_of([&] { store.trust("/home/u/too"); }) == ErrorKind::permission);
      std::filesystem::remove(linked);
    }
  REQUIRE(stat(other.c_str(), &info) == 0);
  CHECK(info.st_uid == geteuid());
  CHECK(read_file(other) == "precious");
}

TEST_CASE("trust store: what other users can write is not trusted") {
  const TempFolder folder;
  TrustStore store(folder / "state/trusted");
  const std::string scripts = folder / "scripts", below = scripts + "/below", script = below + "/s.lua";
  std::filesystem::create_directories(below);
  write_file(script, "");
  store.trust(scripts);
  CHECK(store.trusted_path(script) == scripts);
  using std::filesystem::perms;
  for (const std::string& open : {script, below, scripts}) {
    const auto before = std::filesystem::status(open).permissions();
    std::filesystem::permissions(open, before | perms::others_write);
    INFO(open);
    CHECK(kind_of([&] { store.trusted_path(script); }) == ErrorKind::permission);
    std::filesystem::permissions(open, before);
  }
  CHECK(store.trusted_path(script) == scripts);
  // in a sticky folder, such as /tmp, nobody replaces a file of another
  std::filesystem::permissions(below, perms::all | perms::sticky_bit);
  CHECK(store.trusted_path(script) == scripts);
  std::filesystem::permissions(script, perms::all);
  CHECK(kind_of([&] { store.trust(script); }) == ErrorKind::permission);
  if (geteuid() != 0) return;
  std::filesystem::permissions(script, perms::owner_all | perms::group_all);
  REQUIRE(chown(script.c_str(), 0, 12345) == 0);
  CHECK(kind_of([&] { store.trusted_path(script); }) == ErrorKind::permission);
  REQUIRE(chown(script.c_str(), 12345, 12345) == 0);
  CHECK(store.trusted_path(script) == scripts);
}
