#include "engine/git/made_clones.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/git/handles.h"
#include "engine/git/private_clone.h"
#include "engine/git/repo.h"

namespace reg::git {
namespace {

namespace fs = std::filesystem;

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
