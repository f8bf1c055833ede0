// What builds and tests change in a worktree is reset and kept; what a person changes is refused. A switch that was
// killed is put right, with other people's locks and changes after it.

#include "tests/support/worktree_bench.h"

namespace fs = std::filesystem;

namespace {

struct Changed : Bench {
  std::string one, two, output = folder / "output";

  Changed() {
    write_file(repo_path + "/lock", "one\n");
    make_folders(repo_path + "/sub");
    for (const char* name : {"/sub/in.c", "/sub/same.c"}) write_file(repo_path + name, "1\n");
    one = commit("a.c", "1\n");
    two = commit("made.h", "tracked now\n");
    make_folders(output);
  }

  // A real command, as a build is one.
  void run(const std::string& line) {
    guard.admit({EffectKind::process, line, {}});
    shell(line);
  }

  std::string kept(const std::string& name) const {
    return read_file_if_there(output + "/changed/" + name).value_or("");
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
  for (const auto& [line, name] : std::map<std::string, std::string>{
           {"echo mine >lock", "lock"}, {"echo mine >a.c", "a.c"}, {"echo mine >new; git add new", "new"}})
    DYNAMIC_SECTION(line) {
      bench.shell(line);
      const auto tree = bench.open();
      bench.refuses(*tree, bench.two, name);
      bench.refuses(*tree, bench.two, name);
      CHECK(bench.file(name) == "mine\n");
      if (name != "lock") return;  // which the command had changed
      run_git(bench.tree_path, "checkout -q lock");
      bench.checkout(*tree, bench.two);
      check_clean_at(bench.tree_path, bench.two);
    }
  SECTION("between two checkouts without a command") {
    const auto tree = bench.open();
    bench.checkout(*tree, bench.one);
    write_file(bench.tree_path + "/lock", "mine\n");
    bench.refuses(*tree, bench.two, "lock");
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
    {
      const Child child([&](int) {
        Loop loop;
        const auto tree = bench.open_in(loop);
        tree->keep_changes_in(bench.output, true);
        for (int i = 0;; ++i) {
          wait_for(loop, tree->checkout(i % 2 == 0 ? bench.one : bench.two, {}));
          bench.run("echo " + std::to_string(i) + " >lock; git add lock; rm -f a.c; echo x >made.h");
        }
      });
      // The first is killed after it has kept a change; the others whenever it may be.
      for (int i = 0; round == 0 && i < 3'000 && bench.kept("lock").empty(); ++i) usleep(10'000);
      if (round == 0) CHECK_FALSE(bench.kept("lock").empty());
      usleep(50'000 + round * 7'000);
    }
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

TEST_CASE("worktree: a lock that no killed switch explains is another git's") {
  Bench bench;
  bench.commit("a.c", "1\n");
  const std::string two = bench.commit("a.c", "2\n");
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

namespace {

// Runs `f` in a process that is killed after this time, and says whether that left a switch in `record` unfinished.
template <class F>
int broken_off(useconds_t after, const std::string& record, F f) {
  {
    const Child child([&](int) { f(); });
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
    const auto tree = bench.open();
    const std::string& to = round % 2 == 0 ? one : two;
    bench.checkout(*tree, to);
    check_clean_at(bench.tree_path, to);
    CHECK(run_git(bench.tree_path, "status --porcelain") == "");
  }
  CHECK(kills > 0);
}

TEST_CASE("worktree: killed while it is made or first filled, the next checkout has it whole") {
  Bench bench;
  const std::string all = fill(bench, 400, 0);
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
    check_clean_at(bench.tree_path, all);
  }
  CHECK(kills > 0);
}

TEST_CASE("worktree: what a person changes after a killed switch is kept elsewhere") {
  Bench bench;
  const std::string one = bench.commit("a.c", "one\n");
  const std::string two = bench.commit("a.c", "second\n");
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
