#include "engine/git/made_worktrees.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
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

}  // namespace reg::git
