#include "engine/git/remote.h"

#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/git/argv.h"
#include "engine/git/beyond.h"
#include "engine/git/by_parts.h"
#include "engine/git/handles.h"
#include "engine/git/needs.h"
#include "engine/git/private_git.h"
#include "engine/loop/coroutine.h"

namespace reg::git {

namespace fs = std::filesystem;

// Without trees libgit2 could not even compare two commits.
void check_filter(const std::string& filter) {
  if (!filter.empty() && !filter.starts_with("blob:"))
    throw Error(ErrorKind::usage, "the filter '" + filter + "'", "take blob:none or blob:limit=SIZE");
}

namespace {

Op<Nothing> clone_by_git(Loop& loop, std::string url, std::string path, CloneOptions options) {
  GitCommand command{"", {"clone", "--quiet"}};
  if (options.bare) command.argv.emplace_back("--bare");
  if (!options.branch.empty()) command.argv.push_back("--branch=" + options.branch);
  if (!options.filter.empty()) command.argv.push_back("--filter=" + options.filter);
  command.argv.insert(command.argv.end(), {"--", url, path});
  co_await run_git_remotely(loop, std::move(command));
  co_return Nothing{};
}

}  // namespace

Op<Nothing> clone(Loop& loop, Guard& guard, std::string url, std::string path, CloneOptions options) {
  check_url(url);
  if (!options.branch.empty()) refuse_option("branch", options.branch);
  if (path.empty()) throw Error(ErrorKind::usage, "an empty path");
  check_filter(options.filter);
  fs::path target = fs::absolute(path).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // "dir/"
  const bool told =
      guard.admit({EffectKind::git, "clone " + url + " to " + path, {need_of_url(url), uses(target.string())}});
  std::error_code ignored;
  if (fs::exists(target, ignored) && !fs::is_empty(target, ignored))
    throw Error(ErrorKind::conflict, "'" + path + "' is there already", "open it with reg.git.open, and fetch");
  if (!told) co_return Nothing{};

  const std::string unfinished = target.string() + ".unfinished-clone";
  fs::remove_all(unfinished);
  make_folders(target.parent_path().string());
  if (git_elsewhere() != nullptr) {
    co_await clone_by_parts(loop, url, unfinished, options);
  } else {
    co_await clone_by_git(loop, url, unfinished, options);
  }
  std::error_code error;
  fs::rename(unfinished, target, error);
  if (error) throw system_error("renaming the clone to " + target.string(), error.value());
  co_return Nothing{};
}

// A remote whose configuration is not valid would pass for one that is not there, and its name for a URL.
static void check_remote(const Repo& repo, const std::string& name) {
  git_remote* found = nullptr;
  const int code = git_remote_lookup(&found, repo.handle(), name.c_str());
  const RemotePtr owner(found);
  int valid = 0;
  git_remote_name_is_valid(&valid, name.c_str());
  if (code == 0 || code == GIT_ENOTFOUND || valid == 0) return;
  throw libgit2_error(code, "the remote '" + name + "' of " + repo.path());
}

Op<Nothing> fetch(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo, std::string remote) {
  refuse_option("remote", remote);
  check_remote(*repo, remote);
  const std::string url = repo->url_of(remote).value_or(remote);
  std::vector<Need> needs = needs_of_programs(*repo);
  needs.push_back(need_of_url(url));
  if (!guard.admit({EffectKind::git, "fetch " + remote + " in " + repo->path(), std::move(needs)})) co_return Nothing{};
  if (git_elsewhere() != nullptr) {
    co_await fetch_by_parts(loop, repo, remote, url);
    co_return Nothing{};
  }
  GitCommand command{git_repository_path(repo->handle()),
                     {"fetch", "--quiet", "--no-recurse-submodules", "--", remote}};
  co_await run_git_remotely(loop, std::move(command));
  co_return Nothing{};
}

}  // namespace reg::git
