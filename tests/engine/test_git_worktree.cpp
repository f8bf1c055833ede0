#include <sys/stat.h>

#include "tests/support/worktree_bench.h"

namespace fs = std::filesystem;

namespace {

std::map<std::string, std::int64_t> times_of(const std::string& tree) {
  std::map<std::string, std::int64_t> out;
  for (const std::string& name : git_lines(tree, "-c core.quotePath=false ls-files")) {
    struct stat info {};
    if (lstat((tree + "/" + name).c_str(), &info) == 0)
      out[name] = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
  }
  return out;
}

// Around the line that changes, so that the hunk can be found elsewhere.
const std::string kHead = "a\nb\nc\nd\n", kTail = "w\nx\ny\nz\n";
const std::string kPatch =
    "--- a/main.c\n+++ b/main.c\n@@ -2,7 +2,7 @@\n b\n c\n d\n-two\n+TWO\n w\n x\n y\n"
    "--- /dev/null\n+++ b/extra.c\n@@ -0,0 +1 @@\n+new\n";

}  // namespace

TEST_CASE("worktree: over a random history every switch gives git's tree and touches only what differs") {
  std::mt19937 random(21);
  for (int round = 0; round < 3; ++round) {
    Bench bench;
    make_random_history(bench.repo_path, random, {.commits = 60, .merge_percent = 20, .trees = true});
    const auto tree = bench.open();
    const auto all = git_lines(bench.repo_path, "rev-list main");
    std::string before;
    for (int i = 0; i < 25; ++i) {
      const std::string to = all[random() % all.size()];
      const auto times = before.empty() ? std::map<std::string, std::int64_t>{} : times_of(bench.tree_path);
      INFO("round " << round << ": " << before << " -> " << to);
      CHECK(bench.checkout(*tree, to).id == to);
      check_clean_at(bench.tree_path, to);
      CHECK(tree->head().id == to);
      if (!before.empty()) {
        std::map<std::string, std::int64_t> wanted = times, got = times_of(bench.tree_path);
        for (const auto& name :
             git_lines(bench.tree_path, "-c core.quotePath=false diff --no-renames --name-only " + before + " " + to)) {
          wanted.erase(name);
          got.erase(name);
        }
        CHECK(got == wanted);
      }
      before = to;
    }
  }
}

TEST_CASE(
    "worktree: what a person changed is refused by name and left alone; one that was only touched did not change") {
  for (const auto& [line, name] : std::map<std::string, std::string>{{"echo 2 >a.c", "a.c"},
                                                                     {"rm b.c", "b.c"},
                                                                     {"chmod +x a.c", "a.c"},
                                                                     {"echo mine >new.c; git add new.c", "new.c"},
                                                                     {"touch -d '1 hour' a.c", ""}}) {
    INFO(line);
    Bench bench;
    const std::string one = bench.commit("a.c", "1\n"), two = bench.commit("b.c", "1\n");
    const auto tree = bench.open();
    bench.checkout(*tree, "main");
    bench.shell(line);
    if (!name.empty()) {
      const std::string changed = run_git(bench.tree_path, "diff HEAD");
      bench.refuses(*tree, one, name);
      CHECK(tree->head().id == two);
      CHECK(run_git(bench.tree_path, "diff HEAD") == changed);
      run_git(bench.tree_path, "reset -q --hard");  // once it is as it was, the switch goes on
    }
    bench.checkout(*tree, one);
    check_clean_at(bench.tree_path, one);
    if (!name.empty()) continue;
    bench.shell("echo mine >b.c");  // where the commit has a file
    bench.refuses(*tree, "main", "b.c");
    CHECK(bench.file("b.c") == "mine\n");
    check_clean_at(bench.tree_path, one);
    fs::remove(bench.tree_path + "/b.c");
    bench.checkout(*tree, "main");
  }
}

TEST_CASE("worktree: somebody's own checkout in between is taken as it is") {
  Bench bench;
  const std::string one = bench.commit("a.c", "1\n");
  const std::string two = bench.commit("a.c", "2\n");
  const auto tree = bench.open();
  bench.checkout(*tree, one);
  run_git(bench.tree_path, "checkout -q " + two);
  CHECK(tree->head().id == two);
  bench.checkout(*tree, one);
  check_clean_at(bench.tree_path, one);
}

TEST_CASE("worktree: a patch lies on top after the switch and is gone at the next") {
  Bench bench;
  const std::string one = bench.commit("main.c", kHead + "two\n" + kTail);
  // Twenty lines above it later on: the hunk must be found where it went.
  std::string above;
  for (int i = 0; i < 20; ++i) above += fmt::format("above {}\n", i);
  const std::string two = bench.commit("main.c", above + kHead + "two\n" + kTail);
  const std::string three = bench.commit("main.c", kHead + "2\n" + kTail);
  write_file(bench.folder / "fix.patch", kPatch);
  const git::CheckoutOptions patched{.patch = bench.folder / "fix.patch"};
  auto tree = bench.open();

  bench.checkout(*tree, one, patched);
  CHECK(bench.file("main.c") == kHead + "TWO\n" + kTail);
  CHECK(bench.file("extra.c") == "new\n");
  bench.checkout(*tree, two, patched);
  CHECK(bench.file("main.c") == above + kHead + "TWO\n" + kTail);
  bench.checkout(*tree, two);
  check_clean_at(bench.tree_path, two);
  CHECK_FALSE(fs::exists(bench.tree_path + "/extra.c"));

  // Another engine takes it over with the patch still on.
  bench.checkout(*tree, one, patched);
  tree.reset();
  tree = bench.open();
  bench.checkout(*tree, three);
  check_clean_at(bench.tree_path, three);

  SECTION("what was edited on top of it is refused") {
    bench.checkout(*tree, one, patched);
    write_file(bench.tree_path + "/extra.c", "mine\n");
    CHECK_THAT(error_of([&] { bench.checkout(*tree, two); }).what(), contains("extra.c"));
    CHECK(bench.file("extra.c") == "mine\n");
  }
  SECTION("git gc may drop the patched tree: it is still taken back") {
    bench.checkout(*tree, one, patched);
    tree.reset();  // with what libgit2 remembers
    run_git(bench.repo_path, "prune --expire=now");
    tree = bench.open();
    bench.checkout(*tree, two);
    check_clean_at(bench.tree_path, two);
  }
}

TEST_CASE("worktree: a submodule that is left out can be a worktree of its own") {
  Bench bench;
  const FileSubmodules allowed;
  const std::string library = bench.folder / "library", other = bench.folder / "other";
  init_repo(library);
  const std::string old_library = commit_file(library, "lib.c", "1\n", 1'690'000'000);
  const std::string new_library = commit_file(library, "lib.c", "2\n", 1'690'000'100);
  init_repo(other);
  commit_file(other, "o.c", "o\n", 1'690'000'000);
  run_git(bench.repo_path, "submodule --quiet add " + library + " deps/lib");
  run_git(bench.repo_path, "submodule --quiet add " + other + " deps/other");
  run_git(bench.repo_path, "commit -qm 'add both'");
  run_git(bench.repo_path + "/deps/lib", "checkout -q " + old_library);
  run_git(bench.repo_path, "commit -qam 'older library'");
  const auto changed = bench.repo()->files("HEAD");
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].old_commit == new_library);
  CHECK(changed[0].new_commit == old_library);
  CHECK(bench.repo()->files("HEAD~1")[1].old_commit.empty());

  const git::CheckoutOptions without{.submodules = true, .without = {"deps/lib"}};
  const auto tree = bench.open();
  bench.checkout(*tree, "main", without);
  CHECK(bench.file("deps/other/o.c") == "o\n");
  CHECK_FALSE(fs::exists(bench.tree_path + "/deps/lib/lib.c"));
  const auto inner =
      wait_for(bench.loop, git::Worktree::open(bench.loop, bench.guard, std::make_shared<git::Repo>(library),
                                               bench.tree_path + "/deps/lib"));
  CHECK_FALSE(fs::exists(bench.tree_path + "/deps/lib.link"));
  wait_for(bench.loop, inner->checkout(new_library, {}));
  bench.checkout(*tree, "main", without);
  CHECK(bench.file("deps/lib/lib.c") == "2\n");
  write_file(bench.tree_path + "/deps/lib/lib.c", "half\n");  // as a switch leaves it that was killed
  bench.checkout(*tree, "main", without);
  CHECK(bench.file("deps/lib/lib.c") == "half\n");
}

TEST_CASE("worktree: opened again it is the same one; what is something else is refused") {
  Bench bench;
  const std::string one = bench.commit("a.c", "1\n");
  auto tree = bench.open();
  bench.checkout(*tree, one);
  const Error twice = error_of([&] { bench.open(); });
  CHECK(twice.kind() == ErrorKind::conflict);
  tree.reset();
  tree = bench.open();
  CHECK(tree->head().id == one);
  CHECK(git_lines(bench.repo_path, "worktree list").size() == 2);
  const auto refused = [&](const std::string& path) {
    return error_of([&] { wait_for(bench.loop, git::Worktree::open(bench.loop, bench.guard, bench.repo(), path)); });
  };
  CHECK(refused(bench.repo_path).kind() == ErrorKind::conflict);
  make_folders(bench.folder / "full");
  write_file(bench.folder / "full/file", "mine");
  CHECK(refused(bench.folder / "full").kind() == ErrorKind::conflict);
  init_repo(bench.folder / "other");
  commit_file(bench.folder / "other", "a", "1", 1'690'000'000);
  run_git(bench.folder / "other", "worktree add -q --detach ../foreign");
  CHECK_THAT(refused(bench.folder / "foreign").what(), contains("another repository"));

  SECTION("deleted by hand it is made again") {
    tree.reset();
    fs::remove_all(bench.tree_path);
    tree = bench.open();
    bench.checkout(*tree, one);
    check_clean_at(bench.tree_path, one);
  }
  SECTION("remove takes it away, but not with work in it") {
    write_file(bench.tree_path + "/a.c", "2\n");
    CHECK(error_of([&] { wait_for(bench.loop, tree->remove()); }).kind() == ErrorKind::conflict);
    write_file(bench.tree_path + "/a.c", "1\n");
    write_file(bench.tree_path + "/a.o", "object");
    wait_for(bench.loop, tree->remove());
    CHECK_FALSE(fs::exists(bench.tree_path));
    CHECK(git_lines(bench.repo_path, "worktree list").size() == 1);
  }
}
