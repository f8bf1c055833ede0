#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/git/handles.h"
#include "engine/git/private_git.h"
#include "engine/git/remote.h"
#include "engine/loop/coroutine.h"

namespace reg::git {
namespace {

using SubmodulePtr = std::unique_ptr<git_submodule, Release<git_submodule_free>>;

struct Submodule {
  std::string path;    // in the working tree
  std::string folder;  // its own working tree
  std::string home;    // its repository: below that of the tree it is in
  std::string url;
  std::string commit;
};

std::vector<Submodule> submodules_of(const std::string& folder, const std::vector<std::string>& without) {
  const RepositoryPtr repository = open_repository(folder);
  const auto index = make<IndexPtr>("the index of " + folder, git_repository_index, repository.get());
  std::vector<Submodule> all;
  for (std::size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index.get(), i);
    if (entry->mode != GIT_FILEMODE_COMMIT || std::find(without.begin(), without.end(), entry->path) != without.end())
      continue;
    const std::string what = "the submodule " + std::string(entry->path) + " of " + folder;
    const auto found = make<SubmodulePtr>(what, git_submodule_lookup, repository.get(), entry->path);
    if (git_submodule_update_strategy(found.get()) == GIT_SUBMODULE_UPDATE_NONE) continue;
    check(git_submodule_init(found.get(), 0), what);  // git asks for that, too
    const char* url = git_submodule_url(found.get());
    if (url == nullptr) throw Error(ErrorKind::not_found, what + " has no URL in .gitmodules");
    git_buf resolved = GIT_BUF_INIT;
    check(git_submodule_resolve_url(&resolved, repository.get(), url), what);
    const std::string name = git_submodule_name(found.get());
    all.push_back({entry->path, folder + "/" + entry->path, git_repository_path(repository.get()) + ("modules/" + name),
                   std::string(resolved.ptr, resolved.size), hex(entry->id)});
    git_buf_dispose(&resolved);
  }
  return all;
}

bool has_commit(git_repository* repository, const std::string& id) {
  const git_oid oid = parse_id(id);
  git_commit* found = nullptr;
  const bool there = git_commit_lookup(&found, repository, &oid) == 0;
  const CommitPtr owner(found);
  return there;
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
  git_remote* remote = nullptr;
  const int code = git_remote_create(&remote, made.get(), "origin", submodule.url.c_str());
  const RemotePtr owner(remote);
  if (code != GIT_EEXISTS) check(code, "the remote of " + submodule.home);
  return made;
}

void write_files(git_repository* repository, const Submodule& submodule) {
  const git_oid id = parse_id(submodule.commit);
  const auto commit = make<ObjectPtr>(submodule.path, git_object_lookup, repository, &id, GIT_OBJECT_COMMIT);
  git_checkout_options options = GIT_CHECKOUT_OPTIONS_INIT;
  options.checkout_strategy = GIT_CHECKOUT_FORCE;
  check(git_checkout_tree(repository, commit.get(), &options), "checking out " + submodule.folder);
  check(git_repository_set_head_detached(repository, &id), "the HEAD of " + submodule.folder);
}

bool is_missing(const Submodule& submodule) {
  git_repository* found = nullptr;
  const int code = git_repository_open(&found, submodule.home.c_str());
  const RepositoryPtr owner(found);
  return code != 0 || !has_commit(found, submodule.commit);
}

Op<Nothing> update(Loop& loop, Submodule submodule) {
  const RepositoryPtr repository = open_or_make(submodule);
  Fetch what{submodule.home + "/objects", submodule.url, "", {}, {}, false, true};
  if (!has_commit(repository.get(), submodule.commit)) co_await git_elsewhere()->fetch(what);
  what.ids = {submodule.commit};  // of no branch
  if (!has_commit(repository.get(), submodule.commit)) co_await git_elsewhere()->fetch(what);
  const auto written = on_worker(loop, [&repository, &submodule] {
    write_files(repository.get(), submodule);
    return Nothing{};
  });
  co_await written;
  co_return Nothing{};
}

}  // namespace

std::vector<std::string> submodules_except(const std::string& folder, const std::vector<std::string>& only) {
  const RepositoryPtr repository = open_repository(folder);
  const auto index = make<IndexPtr>("the index of " + folder, git_repository_index, repository.get());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index.get(), i);
    if (entry->mode == GIT_FILEMODE_COMMIT && std::find(only.begin(), only.end(), entry->path) == only.end())
      out.emplace_back(entry->path);
  }
  return out;
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
  co_return Nothing{};
}

Op<Nothing> update_submodules(Loop& loop, std::string folder, std::vector<std::string> without) {
  for (const Submodule& submodule : submodules_of(folder, without)) {
    co_await update(loop, submodule);
    co_await update_submodules(loop, submodule.folder, {});
  }
  co_return Nothing{};
}

}  // namespace reg::git
