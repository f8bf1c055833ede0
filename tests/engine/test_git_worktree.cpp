// tests/lua/test_worktree.lua has what commands and persons change.

#include <sys/stat.h>

#include "engine/git/worktree.h"
#include "tests/support/git.h"
#include "tests/support/unit.h"

namespace {

// An engine's worth of parts around one repository.
struct Bench {
  TempFolder folder;
  std::string repo_path = folder / "repo", tree_path = folder / "tree";
  Loop loop;
  Guard guard{allow_all()};

  Bench() { init_repo(repo_path); }

  // A process that was forked has a loop of its own: the workers of another one stayed behind.
  std::shared_ptr<git::Worktree> open_in(Loop& own) {
    return wait_for(own, git::Worktree::open(own, guard, std::make_shared<git::Repo>(repo_path), tree_path));
  }
  std::shared_ptr<git::Worktree> open() { return open_in(loop); }

  // Real git finds every tracked file as the commit has it.
  void checkout(git::Worktree& tree, const std::string& commit) {
    const std::string id = wait_for(loop, tree.checkout(commit, {})).id;
    CHECK(run_git(tree_path, "rev-parse HEAD " + commit) == id + "\n" + id);
    CHECK(run_git(tree_path, "status --porcelain") == "");
    CHECK(run_git(tree_path, "diff --no-ext-diff " + commit) == "");
  }
};

std::map<std::string, std::int64_t> times_of(const std::string& tree) {
  std::map<std::string, std::int64_t> out;
  for (const std::string& name : git_lines(tree, "-c core.quotePath=false ls-files")) {
    struct stat info {};
    if (lstat((tree + "/" + name).c_str(), &info) == 0)
      out[name] = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
  }
  return out;
}

// Runs `f` in a process that is killed after this time, and says whether that left a switch in `record` unfinished.
template <class F>
int broken_off(useconds_t after, const std::string& record, F f) {
  {
    const Child child(f);
    usleep(after);
  }
  return read_file_if_there(record).value_or("").find("to_tree") != std::string::npos ? 1 : 0;
}

// Big enough for a kill to land within the writing.
std::string fill(const Bench& bench, int files, int version) {
  for (int i = 0; i < files; ++i)
    write_file(bench.repo_path + fmt::format("/f{}.c", i),
               std::string(20000, static_cast<char>('a' + (i % 2) * version)));
  run_git(bench.repo_path, "add -A");
  run_git(bench.repo_path, fmt::format("commit -qm v{}", version));
  return run_git(bench.repo_path, "rev-parse HEAD");
}

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
      bench.checkout(*tree, to);
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

TEST_CASE("worktree: killed at any moment of a switch, the next one puts it right") {
  Bench bench;
  const std::string one = fill(bench, 300, 1), two = fill(bench, 300, 2);
  write_file(bench.folder / "fix.patch", "--- /dev/null\n+++ b/extra.c\n@@ -0,0 +1 @@\n+new\n");
  std::mt19937 random(4);
  bench.checkout(*bench.open(), one);
  const std::string record = run_git(bench.tree_path, "rev-parse --absolute-git-dir") + "/regengine";
  int kills = 0;
  for (int round = 0; round < 12 || (kills == 0 && round < 100); ++round) {  // longer on a slow machine
    kills += broken_off(2000 + random() % 60000, record, [&] {
      Loop loop;
      const auto tree = bench.open_in(loop);
      for (;;)
        for (const std::string& to : {two, one})
          wait_for(loop, tree->checkout(to, {.patch = round % 3 == 0 ? bench.folder / "fix.patch" : ""}));
    });
    bench.checkout(*bench.open(), round % 2 == 0 ? one : two);
  }
  CHECK(kills > 0);
}

TEST_CASE("worktree: killed while it is made or first filled, the next checkout has it whole") {
  Bench bench;
  fill(bench, 400, 0);
  std::mt19937 random(8);
  int kills = 0;
  for (int round = 0; round < 16 || (kills == 0 && round < 100); ++round) {  // longer on a slow machine
    const std::string name = fmt::format("tree{}", round);
    bench.tree_path = bench.folder / name;
    kills += broken_off(random() % (40000 * (1 + round / 16)),
                        bench.repo_path + "/.git/worktrees/" + name + "/regengine", [&] {
                          Loop loop;
                          const auto tree = bench.open_in(loop);
                          wait_for(loop, tree->checkout("main", {}));
                          pause();
                        });
    bench.checkout(*bench.open(), "main");
  }
  CHECK(kills > 0);
}
