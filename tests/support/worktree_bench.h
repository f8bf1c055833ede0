#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "engine/base/file.h"
#include "engine/git/worktree.h"
#include "tests/support/catch.h"
#include "tests/support/git.h"

namespace reg::test {

template <class T>
T wait_for(Loop& loop, const Op<T>& op) {
  loop.run_until([&] { return op->done(); });
  return op->take();
}

// An engine's worth of parts around one repository.
struct Bench {
  TempFolder folder;
  std::string repo_path = folder / "repo";
  std::string tree_path = folder / "tree";
  Loop loop;
  Guard guard{allow_all()};

  std::shared_ptr<git::Repo> repo() { return std::make_shared<git::Repo>(repo_path); }
  std::shared_ptr<git::Worktree> open() { return wait_for(loop, git::Worktree::open(loop, guard, repo(), tree_path)); }
  git::Commit checkout(git::Worktree& tree, const std::string& revision, const git::CheckoutOptions& options = {}) {
    return wait_for(loop, tree.checkout(revision, options));
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
