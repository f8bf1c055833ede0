#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/process/command.h"
#include "engine/process/loaded.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;
using process::Command;

namespace fs = std::filesystem;

namespace {

// A copy of a program of this machine; its path.
std::string copy_of(const std::string& program, const std::string& to) {
  fs::copy_file(process::find_in_absolute_folders(process::own_path(), program), to);
  return fs::canonical(to);
}

// What a shell line loaded from a folder.
std::map<std::string, std::string> loaded_by(const std::string& line, const std::string& folder) {
  Loop loop;
  Command command;
  command.argv = {"/bin/sh", "-c", line};
  command.loaded_below = {folder};
  const auto op = process::run(loop, command);
  loop.run_until([&] { return op->done(); });
  return op->take().loaded;
}

// The same where something must be seen, with ever longer times in place of TIME: a slow machine only takes longer.
std::map<std::string, std::string> seen_by(const std::string& line, const std::string& folder) {
  for (double time = 0.2;; time *= 2) {
    std::string timed = line;
    for (auto at = timed.find("TIME"); at != std::string::npos; at = timed.find("TIME"))
      timed.replace(at, 4, std::to_string(time));
    if (auto seen = loaded_by(timed, folder); !seen.empty()) return seen;
  }
}

}  // namespace

TEST_CASE("process: what a command and its children load from below a folder is noted with its hash") {
  const TempFolder folder;
  fs::create_directory(folder / "tree");
  const std::string sleep = copy_of("sleep", folder / "tree/sleep");
  const std::string other = copy_of("sleep", folder / "other");
  const std::string tree = folder / "tree";
  const auto seen = seen_by(sleep + " TIME; " + other + " TIME", tree);
  REQUIRE(seen.size() == 1);
  CHECK(seen.begin()->first == sleep);
  CHECK(seen.begin()->second == "sha256:" + sha256_of_file(sleep));
  CHECK(loaded_by("sleep 0.1", tree).empty());

  write_file(sleep, read_file(sleep) + "more", 0755);
  CHECK(seen_by("exec " + sleep + " TIME", tree) != seen);
}

TEST_CASE("process: a program that is removed while it runs, and one behind a symbolic link") {
  const TempFolder folder;
  fs::create_directory(folder / "tree");
  const std::string sleep = copy_of("sleep", folder / "tree/sleep");
  fs::create_directory_symlink(folder / "tree", folder / "link");
  CHECK(seen_by(folder / "link/sleep TIME", folder / "link").count(sleep) == 1);
  CHECK(loaded_by("cd " + (folder / "tree") + "; ./sleep 0.3 & sleep 0.1; rm sleep; wait", folder / "tree").empty());
}
