// A switch of a worktree that was killed, and other people's locks and changes after it.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/git/worktree.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"
#include "tests/support/worktree_bench.h"

using namespace reg;
using namespace reg::test;
namespace fs = std::filesystem;

TEST_CASE("worktree: a lock that no killed switch explains is another git's") {
  Bench bench;
  init_repo(bench.repo_path);
  commit_file(bench.repo_path, "a.c", "1\n", 1'690'000'000);
  const std::string two = commit_file(bench.repo_path, "a.c", "2\n", 1'690'000'100);
  const auto tree = bench.open();
  bench.checkout(*tree, two);
  const std::string lock = run_git(bench.tree_path, "rev-parse --path-format=absolute --git-path index.lock");
  write_file(lock, "");
  const Error error = error_of([&] { bench.checkout(*tree, two + "~1"); });
  CHECK(error.kind() == ErrorKind::conflict);
  CHECK_THAT(error.what(), contains("index.lock"));
  fs::remove(lock);
  bench.checkout(*tree, two + "~1");
}

TEST_CASE("worktree: killed at any moment of a switch, the next one puts it right") {
  Bench bench;
  init_repo(bench.repo_path);
  // Big enough for the kill to land within the writing: some hundred files, half of them changing.
  const auto fill = [&](int version) {
    for (int i = 0; i < 300; ++i)
      write_file(bench.repo_path + fmt::format("/f{}.c", i),
                 std::string(20000, static_cast<char>('a' + (i % 2) * version)));
    run_git(bench.repo_path, "add -A");
    run_git(bench.repo_path, fmt::format("commit -qm v{}", version));
    return run_git(bench.repo_path, "rev-parse HEAD");
  };
  const std::string one = fill(1), two = fill(2);
  write_file(bench.folder / "fix.patch", "--- /dev/null\n+++ b/extra.c\n@@ -0,0 +1 @@\n+new\n");
  std::mt19937 random(4);
  {
    auto tree = bench.open();
    bench.checkout(*tree, one);
  }
  int broken_off = 0;
  for (int round = 0; round < 12 || (broken_off == 0 && round < 100); ++round) {  // longer on a slow machine
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      Loop loop;
      Guard guard(allow_all());
      auto tree = wait_for(loop, git::Worktree::open(loop, guard, bench.repo(), bench.tree_path));
      for (;;)
        for (const std::string& to : {two, one})
          wait_for(loop, tree->checkout(to, {.patch = round % 3 == 0 ? bench.folder / "fix.patch" : ""}));
    }
    usleep(2000 + random() % 60000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string git_folder = run_git(bench.tree_path, "rev-parse --absolute-git-dir");
    if (read_file_if_there(git_folder + "/regengine").value_or("").find("to_tree") != std::string::npos) ++broken_off;
    auto tree = bench.open();
    const std::string& to = round % 2 == 0 ? one : two;
    bench.checkout(*tree, to);
    check_clean_at(bench.tree_path, to);
    CHECK(run_git(bench.tree_path, "status --porcelain") == "");
  }
  INFO(broken_off << " kills fell into a switch");
  CHECK(broken_off > 0);
}

TEST_CASE("worktree: killed while it is made or first filled, the next checkout has it whole") {
  Bench bench;
  init_repo(bench.repo_path);
  for (int i = 0; i < 400; ++i) write_file(bench.repo_path + fmt::format("/f{}.c", i), std::string(20000, 'a'));
  run_git(bench.repo_path, "add -A");
  run_git(bench.repo_path, "commit -qm all");
  std::mt19937 random(8);
  int broken_off = 0;
  for (int round = 0; round < 16 || (broken_off == 0 && round < 100); ++round) {  // longer on a slow machine
    bench.tree_path = bench.folder / fmt::format("tree{}", round);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      Loop loop;
      Guard guard(allow_all());
      auto tree = wait_for(loop, git::Worktree::open(loop, guard, bench.repo(), bench.tree_path));
      wait_for(loop, tree->checkout("main", {}));
      for (;;) pause();
    }
    usleep(random() % (40000 * (1 + round / 16)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const fs::path record = fs::path(bench.repo_path) / ".git/worktrees" / fmt::format("tree{}/regengine", round);
    if (read_file_if_there(record).value_or("").find("to_tree") != std::string::npos) ++broken_off;
    const auto tree = bench.open();
    bench.checkout(*tree, "main");
    check_clean_at(bench.tree_path, run_git(bench.repo_path, "rev-parse main"));
  }
  INFO(broken_off << " kills fell into a switch");
  CHECK(broken_off > 0);
}

TEST_CASE("worktree: what a person changes after a killed switch is kept elsewhere") {
  Bench bench;
  init_repo(bench.repo_path);
  const std::string one = commit_file(bench.repo_path, "a.c", "one\n", 1'690'000'000);
  const std::string two = commit_file(bench.repo_path, "a.c", "second\n", 1'690'000'100);
  const auto tree = bench.open();
  bench.checkout(*tree, one);
  const std::string record = run_git(bench.tree_path, "rev-parse --absolute-git-dir") + "/regengine";
  write_file(record, read_file(record) + "to_commit " + two + "\nto_tree " +
                         run_git(bench.repo_path, "rev-parse main^{tree}") + "\n");
  write_file(run_git(bench.tree_path, "rev-parse --absolute-git-dir") + "/index.lock", "");
  SECTION("an edit") {
    write_file(bench.tree_path + "/a.c", "mine\n");
    bench.checkout(*tree, one);
    check_clean_at(bench.tree_path, one);
    CHECK(read_file(fs::path(record).parent_path() / "changed/a.c") == "mine\n");
  }
  SECTION("a half-written file is our own") {
    write_file(bench.tree_path + "/a.c", "sec");
    bench.checkout(*tree, one);
    check_clean_at(bench.tree_path, one);
  }
}
