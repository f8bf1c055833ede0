// What builds and tests change in a worktree is reset and kept; what a person changes is refused.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

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

namespace {

struct Changed : Bench {
  std::string one, two, output = folder / "output";

  Changed() {
    init_repo(repo_path);
    write_file(repo_path + "/lock", "one\n");
    make_folders(repo_path + "/sub");
    for (const char* name : {"/sub/in.c", "/sub/same.c"}) write_file(repo_path + name, "1\n");
    one = commit_file(repo_path, "a.c", "1\n", 1'690'000'000);
    two = commit_file(repo_path, "made.h", "tracked now\n", 1'690'000'100);
    make_folders(output);
  }

  // A real command, as a build is one.
  void run(const std::string& line) {
    guard.admit({EffectKind::process, line, {}});
    REQUIRE(std::system(("cd '" + tree_path + "' && " + line).c_str()) == 0);
  }

  std::string kept(const std::string& name) const {
    return read_file_if_there(output + "/changed/" + name).value_or("");
  }
  std::string git_folder() const { return run_git(tree_path, "rev-parse --absolute-git-dir"); }

  void refuses(git::Worktree& tree, const std::string& name) {
    const Error error = error_of([&] { checkout(tree, two); });
    CHECK(error.kind() == ErrorKind::conflict);
    CHECK_THAT(error.what(), contains(name));
  }
};

}  // namespace

TEST_CASE("worktree: what a command changed is reset, file by file, and kept") {
  Changed bench;
  const auto tree = bench.open();
  tree->keep_changes_in(bench.output, true);
  bench.checkout(*tree, bench.one);
  SECTION("edited") {
    const auto before = fs::last_write_time(bench.tree_path + "/a.c");
    bench.run("echo changed >lock && echo object >a.o");
    bench.checkout(*tree, bench.one);
    CHECK(bench.file("lock") == "one\n");
    CHECK(bench.file("a.o") == "object\n");
    CHECK(fs::last_write_time(bench.tree_path + "/a.c") == before);
    CHECK(bench.kept("lock") == "changed\n");
    CHECK_FALSE(fs::exists(bench.output + "/changed/a.o"));
  }
  SECTION("deleted, made a folder, a link or executable") {
    bench.run("rm lock && mkdir lock && echo x >lock/x && chmod +x a.c");
    bench.checkout(*tree, bench.one);
    CHECK(bench.file("lock") == "one\n");
    bench.run("rm lock a.c && ln -s /etc lock");
    bench.checkout(*tree, bench.one);
  }
  SECTION("a folder that became a link") {
    bench.run("cp -r sub ../elsewhere && rm -r sub && ln -s ../elsewhere sub && echo 2 >sub/in.c");
    bench.checkout(*tree, bench.one);
    CHECK(read_file(bench.folder / "elsewhere/in.c") == "2\n");
    CHECK_FALSE(fs::is_symlink(bench.tree_path + "/sub"));
  }
  SECTION("in the index and in a commit, with locks left behind") {
    bench.run(
        "echo new >new && echo 2 >a.c && git add -A && git rm -q --cached lock && touch \"$(git rev-parse --git-path "
        "index.lock)\"");
    bench.checkout(*tree, bench.one);
    CHECK(bench.kept("new") == "new\n");
    CHECK(bench.kept("a.c") == "2\n");
    CHECK(run_git(bench.tree_path, "status --porcelain --untracked-files=no") == "");
    bench.run("echo 3 >a.c && git -c user.name=A -c user.email=a@b commit -qam three");
  }
  SECTION("a file that the next commit has as a tracked one") {
    bench.run("echo generated >made.h");
    bench.checkout(*tree, bench.two);
    CHECK(bench.file("made.h") == "tracked now\n");
    CHECK(bench.kept("made.h") == "generated\n");
  }
  SECTION("too large to keep") {
    bench.run("echo small >lock && truncate -s 17M a.c");
    bench.checkout(*tree, bench.one);
    CHECK(bench.kept("lock") == "small\n");
    CHECK_FALSE(fs::exists(bench.output + "/changed/a.c"));
  }
  bench.checkout(*tree, bench.one);
  check_clean_at(bench.tree_path, bench.one);
}

TEST_CASE("worktree: after a command, and after the engine, only what a person changed since then is refused") {
  Changed bench;
  {
    const auto tree = bench.open();
    tree->keep_changes_in(bench.output, true);
    bench.checkout(*tree, bench.one);
    bench.run("echo changed >lock && rm a.c");
  }
  SECTION("nothing") {
    const auto tree = bench.open();
    bench.checkout(*tree, bench.two);
    check_clean_at(bench.tree_path, bench.two);
    CHECK(bench.kept("lock") == "changed\n");
  }
  SECTION("a file that the command had changed") {
    write_file(bench.tree_path + "/lock", "mine\n");
    const auto tree = bench.open();
    bench.refuses(*tree, "lock");
    bench.refuses(*tree, "lock");
    CHECK(bench.file("lock") == "mine\n");
    run_git(bench.tree_path, "checkout -q lock");
    bench.checkout(*tree, bench.two);
    check_clean_at(bench.tree_path, bench.two);
  }
  SECTION("another file") {
    write_file(bench.tree_path + "/a.c", "mine\n");
    const auto tree = bench.open();
    bench.refuses(*tree, "a.c");
    CHECK(bench.file("a.c") == "mine\n");
  }
  SECTION("the index") {
    write_file(bench.tree_path + "/new", "mine\n");
    run_git(bench.tree_path, "add new");
    const auto tree = bench.open();
    bench.refuses(*tree, "new");
  }
  SECTION("between two checkouts without a command") {
    const auto tree = bench.open();
    bench.checkout(*tree, bench.one);
    write_file(bench.tree_path + "/lock", "mine\n");
    bench.refuses(*tree, "lock");
  }
  SECTION("then the whole tree may be removed") {
    const auto tree = bench.open();
    wait_for(bench.loop, tree->remove());
    CHECK_FALSE(fs::exists(bench.tree_path));
  }
}

TEST_CASE("worktree: killed while commands run, the next checkout resets what they changed") {
  Changed bench;
  for (int round = 0; round < 8; ++round) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child > 0) setpgid(child, child);
    if (child == 0) {
      setpgid(0, 0);  // with its commands
      auto tree = bench.open();
      tree->keep_changes_in(bench.output, true);
      for (int i = 0;; ++i) {
        bench.checkout(*tree, i % 2 == 0 ? bench.one : bench.two);
        bench.run("echo " + std::to_string(i) + " >lock; git add lock; rm -f a.c; echo x >made.h");
      }
    }
    // The first is killed after it has kept a change; the others whenever it may be.
    for (int i = 0; round == 0 && i < 3'000 && bench.kept("lock").empty(); ++i) usleep(10'000);
    if (round == 0) CHECK_FALSE(bench.kept("lock").empty());
    usleep(50'000 + round * 7'000);
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto tree = bench.open();
    const std::string& to = round % 2 == 0 ? bench.one : bench.two;
    bench.checkout(*tree, to);
    check_clean_at(bench.tree_path, to);
  }
}

TEST_CASE("worktree: what a command changes in a submodule is reset, too") {
  Changed bench;
  const FileSubmodules allowed;
  const std::string library = bench.folder / "library";
  init_repo(library);
  commit_file(library, "lib.c", "1\n", 1'690'000'000);
  run_git(bench.repo_path, "submodule --quiet add " + library + " deps/lib");
  run_git(bench.repo_path, "commit -qm 'add the library'");
  const std::string with_library = run_git(bench.repo_path, "rev-parse HEAD");
  commit_file(library, "new.c", "2\n", 1'690'000'100);
  run_git(bench.repo_path + "/deps/lib", "pull -q");
  run_git(bench.repo_path, "commit -qam 'newer library'");
  const git::CheckoutOptions with{.submodules = true};
  auto tree = bench.open();
  tree->keep_changes_in(bench.output, true);
  bench.checkout(*tree, with_library, with);
  bench.run("echo built >deps/lib/lib.c; echo generated >deps/lib/new.c");
  SECTION("at once") {}
  SECTION("by the next engine") {
    tree.reset();
    tree = bench.open();
  }
  bench.checkout(*tree, "main", with);
  CHECK(bench.file("deps/lib/lib.c") == "1\n");
  CHECK(bench.file("deps/lib/new.c") == "2\n");
  CHECK(run_git(bench.tree_path, "status --porcelain") == "");
  CHECK(bench.kept("deps/lib/lib.c") == "built\n");
}
