#pragma once

#include <memory>

#include "engine/git/worktree.h"
#include "tests/support/git.h"
#include "tests/support/unit.h"

namespace reg::test {

// An engine's worth of parts around one repository.
struct Bench {
  TempFolder folder;
  std::string repo_path = folder / "repo";
  std::string tree_path = folder / "tree";
  Loop loop;
  Guard guard{allow_all()};
  int commits = 0;

  Bench() { init_repo(repo_path); }

  std::string commit(const std::string& file, const std::string& text) {
    return commit_file(repo_path, file, text, 1'690'000'000 + 100 * ++commits);
  }
  std::shared_ptr<git::Repo> repo() { return std::make_shared<git::Repo>(repo_path); }
  std::shared_ptr<git::Worktree> open() { return open_in(loop); }
  // A process that was forked has a loop of its own: the workers of another one stayed behind.
  std::shared_ptr<git::Worktree> open_in(Loop& other) {
    return wait_for(other, git::Worktree::open(other, guard, repo(), tree_path));
  }
  git::Commit checkout(git::Worktree& tree, const std::string& revision, const git::CheckoutOptions& options = {}) {
    return wait_for(loop, tree.checkout(revision, options));
  }
  void refuses(git::Worktree& tree, const std::string& revision, const std::string& name) {
    const Error error = error_of([&] { checkout(tree, revision); });
    CHECK(error.kind() == ErrorKind::conflict);
    CHECK_THAT(error.what(), contains(name) && contains(tree_path));
  }
  void shell(const std::string& line) const {
    REQUIRE(std::system(("cd '" + tree_path + "' && " + line).c_str()) == 0);
  }
  std::string file(const std::string& name) const { return read_file(tree_path + "/" + name); }
};

// This user's configuration allows file: as a submodule's transport.
struct FileSubmodules {
  FileSubmodules() {
    setenv("GIT_CONFIG_COUNT", "1", 1);
    setenv("GIT_CONFIG_KEY_0", "protocol.file.allow", 1);
    setenv("GIT_CONFIG_VALUE_0", "always", 1);
  }
  ~FileSubmodules() {
    for (const char* name : {"GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"}) unsetenv(name);
  }
  FileSubmodules(const FileSubmodules&) = delete;
  FileSubmodules& operator=(const FileSubmodules&) = delete;
};

// Real git finds every tracked file as the commit has it.
inline void check_clean_at(const std::string& tree, const std::string& commit) {
  CHECK(run_git(tree, "rev-parse HEAD") == commit);
  CHECK(run_git(tree, "status --porcelain --untracked-files=no") == "");
  CHECK(run_git(tree, "diff --no-ext-diff " + commit) == "");
}

}  // namespace reg::test
