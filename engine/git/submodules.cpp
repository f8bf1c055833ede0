#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "engine/git/handles.h"
#include "engine/git/program.h"
#include "engine/git/remote.h"

namespace reg::git {
namespace {

using SubmodulePtr = std::unique_ptr<git_submodule, Release<git_submodule_free>>;

struct Submodule {
  std::string path;    // in the working tree
  std::string folder;  // its own working tree
  std::string home;    // its repository: below that of the tree it is in
  std::string url;
  git_oid commit;
};

// The paths and commits of the submodules in the index of a working tree, except these.
std::map<std::string, git_oid> listed(git_repository* repository, const std::vector<std::string>& except) {
  const auto index =
      make<IndexPtr>(std::string("the index of ") + git_repository_path(repository), git_repository_index, repository);
  std::map<std::string, git_oid> found;
  each_entry(index.get(), [&](const git_index_entry& entry) {
    if (entry.mode == GIT_FILEMODE_COMMIT && std::find(except.begin(), except.end(), entry.path) == except.end())
      found[entry.path] = entry.id;
  });
  return found;
}

std::vector<Submodule> submodules_of(const std::string& folder, const std::vector<std::string>& without) {
  const RepositoryPtr repository = open_repository(folder);
  std::vector<Submodule> all;
  for (const auto& [path, id] : listed(repository.get(), without)) {
    const std::string what = fmt::format("the submodule {} of {}", path, folder);
    const auto found = make<SubmodulePtr>(what, git_submodule_lookup, repository.get(), path.c_str());
    if (git_submodule_update_strategy(found.get()) == GIT_SUBMODULE_UPDATE_NONE) continue;
    check(git_submodule_init(found.get(), 0), what);  // git asks for that, too
    const char* url = git_submodule_url(found.get());
    if (url == nullptr) throw Error(ErrorKind::not_found, what + " has no URL in .gitmodules");
    git_buf resolved = GIT_BUF_INIT;
    check(git_submodule_resolve_url(&resolved, repository.get(), url), what);
    const std::string home = git_repository_path(repository.get()) + std::string("modules/");
    all.push_back(
        {path, fmt::format("{}/{}", folder, path), home + git_submodule_name(found.get()), take_text(resolved), id});
  }
  return all;
}

RepositoryPtr open_or_make(const Submodule& submodule) {
  std::error_code ignored;
  if (std::filesystem::exists(submodule.home + "/HEAD", ignored) &&
      std::filesystem::exists(submodule.folder + "/.git", ignored))
    return open_repository(submodule.folder);
  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_NO_DOTGIT_DIR | GIT_REPOSITORY_INIT_MKPATH;
  options.workdir_path = submodule.folder.c_str();
  auto made =
      make<RepositoryPtr>("making " + submodule.home, git_repository_init_ext, submodule.home.c_str(), &options);
  // Relative URLs of its own submodules start there.
  if (!try_make<RemotePtr>(git_remote_lookup, made.get(), "origin"))
    make<RemotePtr>("the remote of " + submodule.home, git_remote_create, made.get(), "origin", submodule.url.c_str());
  return made;
}

void write_files(git_repository* repository, const Submodule& submodule) {
  const auto commit =
      make<ObjectPtr>(submodule.path, git_object_lookup, repository, &submodule.commit, GIT_OBJECT_COMMIT);
  git_checkout_options options = GIT_CHECKOUT_OPTIONS_INIT;
  options.checkout_strategy = GIT_CHECKOUT_FORCE;
  check(git_checkout_tree(repository, commit.get(), &options), "checking out " + submodule.folder);
  check(git_repository_set_head_detached(repository, &submodule.commit), "the HEAD of " + submodule.folder);
}

bool is_missing(const Submodule& submodule) {
  const auto found = try_make<RepositoryPtr>(git_repository_open, submodule.home.c_str());
  return !found || !has_commit(found.get(), submodule.commit);
}

Op<Nothing> update(Loop& loop, Submodule submodule) {
  const RepositoryPtr repository = open_or_make(submodule);
  Fetch what{submodule.home + "/objects", submodule.url, "", {}, {}, false, true};
  if (!has_commit(repository.get(), submodule.commit)) co_await git_elsewhere()->fetch(what);
  what.ids = {hex(submodule.commit)};  // of no branch
  if (!has_commit(repository.get(), submodule.commit)) co_await git_elsewhere()->fetch(what);
  const auto written = on_worker(loop, [&repository, &submodule] { write_files(repository.get(), submodule); });
  co_await written;
}

}  // namespace

std::vector<std::string> submodules_except(const std::string& folder, const std::vector<std::string>& only) {
  std::vector<std::string> paths;
  for (const auto& [path, id] : listed(open_repository(folder).get(), only)) paths.push_back(path);
  return paths;
}

Op<Nothing> reach_submodules(Loop& loop, std::string folder, std::vector<std::string> without) {
  for (const Submodule& submodule : submodules_of(folder, without)) {
    if (!is_missing(submodule)) continue;
    GitCommand ask{folder, {"ls-remote", "--", submodule.url, "HEAD"}};
    ask.timeout_s = kReachSubmodule_s;
    try {
      co_await run_git_remotely(loop, std::move(ask), kReachSubmodule_s);
    } catch (const Error& error) {
      throw Error(error.kind(), "'" + submodule.path + "': " + error.what(), error.hint());
    }
  }
}

Op<Nothing> update_submodules(Loop& loop, std::string folder, std::vector<std::string> without) {
  for (const Submodule& submodule : submodules_of(folder, without)) {
    co_await update(loop, submodule);
    co_await update_submodules(loop, submodule.folder, {});
  }
}

}  // namespace reg::git
