#include "engine/git/remote.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "engine/base/file.h"
#include "engine/git/handles.h"
#include "engine/git/program.h"
#include "engine/git/worktree_files.h"

namespace reg::git {
namespace {

namespace fs = std::filesystem;

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
  if (fs::exists(submodule.home + "/HEAD", ignored) && fs::exists(submodule.folder + "/.git", ignored))
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

// What `git clone` and `git fetch` do, in a boxed engine: git_elsewhere() brings the objects, libgit2 does the rest
// here.

constexpr std::string_view kHeads = "refs/heads/", kTags = "refs/tags/";

void set_ref(git_repository* repository, const std::string& name, const std::string& id, bool force) {
  const git_oid oid = parse_id(id);
  if (!force && try_make<ReferencePtr>(git_reference_lookup, repository, name.c_str())) return;
  make<ReferencePtr>("setting " + name, git_reference_create, repository, name.c_str(), &oid, 1, "fetch");
}

// The name here of a remote's branch; "" where the remote's configuration gives it none.
std::string name_here(const git_remote* remote, const std::string& branch) {
  for (std::size_t i = 0; i < git_remote_refspec_count(remote); ++i) {
    const git_refspec* spec = git_remote_get_refspec(remote, i);
    if (git_refspec_direction(spec) != GIT_DIRECTION_FETCH || git_refspec_src_matches(spec, branch.c_str()) != 1)
      continue;
    git_buf name = GIT_BUF_INIT;
    check(git_refspec_transform(&name, spec, branch.c_str()), "the refspec for " + branch);
    return take_text(name);
  }
  return {};
}

void take_refs(git_repository* repository, const std::string& remote_name, const Fetched& fetched) {
  const auto remote = try_make<RemotePtr>(git_remote_lookup, repository, remote_name.c_str());
  for (const auto& [name, id] : fetched.refs) {
    if (name.starts_with(kTags)) {
      set_ref(repository, name, id, false);
    } else if (remote && name.starts_with(kHeads)) {
      if (const std::string here = name_here(remote.get(), name); !here.empty()) set_ref(repository, here, id, true);
    }
  }
}

std::vector<std::string> tips(git_repository* repository) {
  constexpr std::size_t kMost = 1000;  // words of a command line
  const auto all = make<ReferenceIteratorPtr>("the refs", git_reference_iterator_new, repository);
  std::set<std::string> ids;
  const char* name = nullptr;
  while (ids.size() < kMost && git_reference_next_name(&name, all.get()) == 0) {
    git_oid id;
    if (git_reference_name_to_id(&id, repository, name) == 0 && has_commit(repository, id)) ids.insert(hex(id));
  }
  return {ids.begin(), ids.end()};
}

void configure(git_repository* repository, const std::string& url, const std::string& filter) {
  const std::string what = "the configuration of the clone";
  const auto config = make<ConfigPtr>(what, git_repository_config, repository);
  const auto set = [&](const char* key, const char* value) {
    check(git_config_set_string(config.get(), key, value), what);
  };
  set("remote.origin.url", url.c_str());
  set("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
  set("core.filemode", "true");  // libgit2 tries it with chmod, which the box refuses
  if (filter.empty()) return;
  set("core.repositoryformatversion", "1");
  set("extensions.partialclone", "origin");
  set("remote.origin.promisor", "true");
  set("remote.origin.partialclonefilter", filter.c_str());
}

// HEAD, as `git clone` sets it. False for a remote without commits.
bool set_head(git_repository* repository, const Fetched& fetched) {
  const auto found = fetched.refs.find(fetched.head);
  if (found == fetched.refs.end()) return false;
  const std::string what = "the HEAD of the clone", remote = "origin/" + fetched.head.substr(kHeads.size());
  set_ref(repository, fetched.head, found->second, true);
  check(git_repository_set_head(repository, fetched.head.c_str()), what);
  make<ReferencePtr>(what, git_reference_symbolic_create, repository, "refs/remotes/origin/HEAD",
                     ("refs/remotes/" + remote).c_str(), 1, "clone");
  const auto branch = make<ReferencePtr>(what, git_reference_lookup, repository, fetched.head.c_str());
  check(git_branch_set_upstream(branch.get(), remote.c_str()), what);
  return true;
}

// Makes the clone at `path`, where nothing is yet.
Op<Nothing> clone_by_parts(Loop& loop, std::string url, std::string path, std::string filter) {
  if (const Need need = need_of_url(url); need.names.front().starts_with('/')) url = need.names.front();
  start_library();
  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_NO_REINIT | GIT_REPOSITORY_INIT_MKPATH;
  const auto repository =
      make<RepositoryPtr>("making the repository " + path, git_repository_init_ext, path.c_str(), &options);
  configure(repository.get(), url, filter);
  const Fetch what{
      std::string(git_repository_commondir(repository.get())) + "objects", url, filter, {}, {}, true, false};
  Fetched fetched = co_await git_elsewhere()->fetch(what);
  take_refs(repository.get(), "origin", fetched);
  if (!set_head(repository.get(), fetched)) co_return;

  WorktreeFiles files(path);
  const std::string tree = files.tree_of(files.head());
  if (!filter.empty()) {
    const Fetch blobs{what.objects, url, filter, {}, files.missing_blobs(tree), false, false};
    if (!blobs.ids.empty()) co_await git_elsewhere()->fetch(blobs);
  }
  const auto written = on_worker(loop, [&repository, &path] {
    git_checkout_options checkout = GIT_CHECKOUT_OPTIONS_INIT;
    checkout.checkout_strategy = GIT_CHECKOUT_FORCE;
    check(git_checkout_head(repository.get(), &checkout), "checking out " + path);
  });
  co_await written;
}

// A remote whose configuration is not valid would pass for one that is not there, and its name for a URL.
void check_remote(const Repo& repo, const std::string& name) {
  git_remote* found = nullptr;
  const int code = git_remote_lookup(&found, repo.handle(), name.c_str());
  const RemotePtr owner(found);
  int valid = 0;
  git_remote_name_is_valid(&valid, name.c_str());
  if (code == 0 || code == GIT_ENOTFOUND || valid == 0) return;
  throw libgit2_error(code, "the remote '" + name + "' of " + repo.path());
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
    process::Command ask = git_command(folder, {"ls-remote", "--", submodule.url, "HEAD"});
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

// Without trees libgit2 could not even compare two commits.
void check_filter(const std::string& filter) {
  if (!filter.empty() && !filter.starts_with("blob:"))
    throw Error(ErrorKind::usage, "the filter '" + filter + "'", "take blob:none or blob:limit=SIZE");
}

Op<Nothing> clone(Loop& loop, Guard& guard, std::string url, std::string path, std::string filter) {
  check_url(url);
  if (path.empty()) throw Error(ErrorKind::usage, "an empty path");
  check_filter(filter);
  fs::path target = fs::absolute(path).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // "dir/"
  const bool told =
      guard.admit({EffectKind::git, "clone " + url + " to " + path, {need_of_url(url), uses(target.string())}});
  std::error_code ignored;
  if (fs::exists(target, ignored) && !fs::is_empty(target, ignored))
    throw Error(ErrorKind::conflict, "'" + path + "' is there already", "open it with reg.git.open, and fetch");
  if (!told) co_return;

  const std::string unfinished = target.string() + ".unfinished-clone";
  fs::remove_all(unfinished);
  make_folders(target.parent_path().string());
  if (git_elsewhere()) {
    co_await clone_by_parts(loop, url, unfinished, filter);
  } else {
    process::Command command = git_command("", {"clone", "--quiet"});
    if (!filter.empty()) command.argv.push_back("--filter=" + filter);
    command.argv.insert(command.argv.end(), {"--", url, unfinished});
    co_await run_git_remotely(loop, std::move(command));
  }
  std::error_code error;
  fs::rename(unfinished, target, error);
  if (error) throw system_error("renaming the clone to " + target.string(), error.value());
}

Op<Nothing> fetch(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo, std::string remote) {
  refuse_option("remote", remote);
  check_remote(*repo, remote);
  const std::string url = repo->url_of(remote).value_or(remote);
  std::vector<Need> needs = needs_of_programs(*repo);
  needs.push_back(need_of_url(url));
  if (!guard.admit({EffectKind::git, "fetch " + remote + " in " + repo->path(), std::move(needs)})) co_return;
  if (git_elsewhere()) {
    const std::string filter = promisors(repo->handle()).empty() ? "" : "blob:none";
    const Fetch what{repo->objects(), url, filter, tips(repo->handle()), {}, false, false};
    const Fetched fetched = co_await git_elsewhere()->fetch(what);
    take_refs(repo->handle(), remote, fetched);  // those that the remote's configuration names, and tags that are new
  } else {
    const std::vector<std::string> words{"fetch", "--quiet", "--no-recurse-submodules", "--", remote};
    co_await run_git_remotely(loop, git_command(git_repository_path(repo->handle()), words));
  }
}

}  // namespace reg::git
