#include "engine/git/made.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/git/handles.h"
#include "engine/git/private_clone.h"
#include "engine/git/repo.h"
#include "engine/git/worktree_place.h"
#include "engine/loop/coroutine.h"

namespace reg::git {

namespace fs = std::filesystem;

namespace {

// The lock of a file that is there; a Fd that holds nothing if another process has it.
Fd try_lock(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(file) : Fd();
}

bool is_locked(const std::string& path) { return fs::exists(path) && !try_lock(path); }

void add(const fs::path& path, std::vector<MadeWorktree>& found) {
  const auto link = read_file_if_there(path / ".git");
  const std::string home = linked_folder(link.value_or(""));
  if (home.empty()) return;
  const std::string mark = mark_of(path), lock = home + "/regengine.lock";
  if (read_file_if_there(mark) != link && !fs::exists(lock)) return;
  found.push_back({path, linked_home(*link), !fs::exists(home), is_locked(mark) || is_locked(lock)});
}

}  // namespace

std::vector<MadeWorktree> made_worktrees(const std::string& workspace) {
  std::vector<MadeWorktree> found;
  std::error_code ignored;
  const std::string folder = workspace + "/.regengine/worktrees";
  if (real_path(folder) != folder) return found;  // a link that came with the workspace
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_symlink() || !entry.is_directory()) continue;
    if (fs::exists(entry.path() / ".git")) {
      add(entry.path(), found);
      continue;
    }
    for (const auto& inner : fs::directory_iterator(entry.path(), ignored))  // those of a set of repositories
      if (!inner.is_symlink() && inner.is_directory()) add(inner.path(), found);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

Op<Nothing> remove_made_worktree(Loop& loop, Guard& guard, MadeWorktree tree) {
  if (tree.stale) {
    const std::string mark = mark_of(tree.path);
    const Fd lock = try_lock(mark);
    if (!lock) throw Error(ErrorKind::conflict, "the worktree '" + tree.path + "' is in use by another script");
    fs::remove_all(tree.path);
    ::unlink(mark.c_str());
  } else {
    const auto opened = Worktree::open(loop, guard, std::make_shared<Repo>(tree.home), tree.path);
    const auto worktree = co_await opened;
    const auto removed = worktree->remove();
    co_await removed;
  }
  const fs::path above = fs::path(tree.path).parent_path();
  std::error_code not_empty;
  if (above.filename() != "worktrees") fs::remove(above, not_empty);
  co_return Nothing{};
}

namespace {

using StatusPtr = std::unique_ptr<git_status_list, Release<git_status_list_free>>;

bool is_made(const std::string& path) {
  try {
    std::string address = origin_of_private_clone(path);
    if (address.empty()) address = Repo(path).url_of("origin").value_or("");
    return !address.empty() && path.ends_with("-" + digits_of(address));
  } catch (const Error&) {
    return false;
  }
}

std::size_t count_worktrees(git_repository* repository, const std::string& what) {
  git_strarray names{};
  check(git_worktree_list(&names, repository), what);
  const std::size_t count = names.count;
  git_strarray_dispose(&names);
  return count;
}

bool has_own_files(git_repository* repository, const std::string& what) {
  git_status_options options = GIT_STATUS_OPTIONS_INIT;
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED;
  const auto list = make<StatusPtr>(what, git_status_list_new, repository, &options);
  return git_status_list_entrycount(list.get()) > 0;
}

bool has_own_commits(git_repository* repository, const std::string& what) {
  const auto walk = make<RevwalkPtr>(what, git_revwalk_new, repository);
  for (const char* own : {"heads/*", "stash"}) check(git_revwalk_push_glob(walk.get(), own), what);
  check(git_revwalk_push_head(walk.get()), what);
  for (const char* fetched : {"remotes/*", "tags/*"}) check(git_revwalk_hide_glob(walk.get(), fetched), what);
  git_oid id;
  const int code = git_revwalk_next(&id, walk.get());
  if (code != GIT_ITEROVER) check(code, what);
  return code == 0;
}

}  // namespace

std::vector<std::string> made_clones(const std::string& workspace) {
  std::vector<std::string> found;
  std::error_code ignored;
  const std::string folder = workspace + "/.regengine/repos";
  if (real_path(folder) != folder) return found;  // a link that came with the workspace
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (!entry.is_symlink() && entry.is_directory() && is_made(entry.path())) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

void remove_made_clone(const std::string& path) {
  const std::string what = "looking at the clone " + path;
  const auto repository = open_repository(path);
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    throw Error(ErrorKind::conflict, "the clone '" + path + "' " + why, hint);
  };
  if (count_worktrees(repository.get(), what) > 0) refuse("has a worktree", "Remove it: git worktree list");
  if (!origin_of_private_clone(path).empty()) {  // what it holds is at its origin, or can be fetched again
    fs::remove_all(path);
    return;
  }
  if (has_own_files(repository.get(), what)) refuse("has changed or new files", "Look at them: git status");
  if (has_own_commits(repository.get(), what)) refuse("has commits of its own", "Push them, or remove their branches.");
  fs::remove_all(path);
}

}  // namespace reg::git
