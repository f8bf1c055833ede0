#include "engine/git/repo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/git/worktree_files.h"
#include "engine/guard/policy.h"

namespace reg::git {
namespace {

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

const char* status_name(git_delta_t status) {
  return status == GIT_DELTA_ADDED ? "added" : status == GIT_DELTA_DELETED ? "deleted" : "modified";
}

}  // namespace

void refuse_option(const std::string& what, const std::string& value) {
  if (value.empty()) throw Error(ErrorKind::usage, "an empty " + what);
  if (value.front() == '-')
    throw Error(ErrorKind::usage, "the " + what + " '" + value + "' begins with '-'",
                "git would take it for an option");
}

Repo::Repo(const std::string& path) : repository_(open_repository(path).release(), git_repository_free) {
  const char* root = git_repository_workdir(repository_.get());
  path_ = root != nullptr ? root : git_repository_path(repository_.get());
  if (path_.size() > 1 && path_.back() == '/') path_.pop_back();
}

Repo::Repo(const std::string& path, const Repo& origin) : Repo(path) { path_ = origin.path_; }

std::string Repo::common_folder() const { return real_path(git_repository_commondir(handle())); }

std::string Repo::home() const {
  const std::filesystem::path common = common_folder();
  return common.filename() == ".git" ? common.parent_path() : common;
}

std::optional<std::string> Repo::url_of(const std::string& remote) const {
  const auto found = try_make<RemotePtr>(git_remote_lookup, handle(), remote.c_str());
  const char* url = found ? git_remote_url(found.get()) : nullptr;
  return url != nullptr ? std::optional<std::string>(url) : std::nullopt;
}

std::string Repo::default_remote() const {
  const auto head = try_make<ReferencePtr>(git_repository_head, handle());
  git_buf found = GIT_BUF_INIT;
  if (head) git_branch_upstream_remote(&found, handle(), git_reference_name(head.get()));
  const std::string name = take_text(found);
  return name.empty() ? "origin" : name;
}

Commit Repo::load(const git_oid& id) const {
  const auto commit = make<CommitPtr>("the commit " + hex(id) + " in " + path_, git_commit_lookup, handle(), &id);
  Commit out;
  out.id = hex(id);
  out.time = git_commit_time(commit.get());
  const git_signature* author = git_commit_author(commit.get());
  if (author != nullptr) {
    out.author = text_or_empty(author->name);
    out.email = text_or_empty(author->email);
    out.author_time = author->when.time;
  }
  out.subject = text_or_empty(git_commit_summary(commit.get()));
  out.message = text_or_empty(git_commit_message(commit.get()));
  for (unsigned i = 0; i < git_commit_parentcount(commit.get()); ++i)
    out.parents.push_back(hex(*git_commit_parent_id(commit.get(), i)));
  return out;
}

std::optional<Commit> Repo::find(const std::string& revision) const {
  refuse_option("revision", revision);
  git_object* found = nullptr;
  int code = git_revparse_single(&found, handle(), revision.c_str());
  const ObjectPtr object(found);
  git_object* peeled = nullptr;
  if (code == 0) code = git_object_peel(&peeled, object.get(), GIT_OBJECT_COMMIT);
  const ObjectPtr commit(peeled);
  if (code == GIT_ENOTFOUND || code == GIT_EINVALIDSPEC || code == GIT_EPEEL) return std::nullopt;
  check(code, "the revision '" + revision + "' in " + path_);
  return load(*git_object_id(commit.get()));
}

Commit Repo::resolve(const std::string& revision) const {
  if (auto commit = find(revision)) return *std::move(commit);
  const auto names = reference_names({"refs/heads/", "refs/remotes/", "refs/tags/"});
  // A branch nobody checked out yet exists only below its remote.
  const auto remote =
      std::find_if(names.begin(), names.end(), [&](const std::string& name) { return name.ends_with("/" + revision); });
  const std::string meant =
      remote != names.end() ? " (did you mean '" + *remote + "'?)" : did_you_mean(revision, names);
  const std::string fetch = "git -C " + shell_words({path_}) + " fetch";
  throw Error(ErrorKind::not_found, "no commit '" + revision + "' in " + path_ + meant,
              shallow() ? "Complete the shallow clone: " + fetch + " --unshallow" : "Fetch it if it is new: " + fetch);
}

std::vector<Commit> Repo::walk(const LogOptions& options, unsigned order) const {
  const std::string what = "walking " + path_;
  const git_oid tip = parse_id(resolve(options.to).id);
  const auto walk = make<RevwalkPtr>(what, git_revwalk_new, handle());
  git_revwalk_sorting(walk.get(), order);
  check(git_revwalk_push(walk.get(), &tip), what);
  if (!options.from.empty()) {
    const git_oid hidden = parse_id(resolve(options.from).id);
    check(git_revwalk_hide(walk.get(), &hidden), what);
  }
  if (options.first_parent) git_revwalk_simplify_first_parent(walk.get());
  std::vector<Commit> out;
  git_oid id;
  while (!options.limit || out.size() < *options.limit) {
    const int code = git_revwalk_next(&id, walk.get());
    if (code == GIT_ITEROVER) break;
    check(code, what);
    Commit commit = load(id);
    if (options.since && commit.time < *options.since) continue;
    if (options.until && commit.time > *options.until) continue;
    out.push_back(std::move(commit));
  }
  return out;
}

std::vector<Commit> Repo::log(const LogOptions& options) const { return walk(options, GIT_SORT_NONE); }

std::vector<Commit> Repo::between(const std::string& good, const std::string& bad, bool first_parent) const {
  return walk({.from = resolve(good).id, .to = bad, .first_parent = first_parent},
              GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
}

std::optional<Commit> Repo::merge_base(const std::string& a, const std::string& b) const {
  const git_oid one = parse_id(resolve(a).id);
  const git_oid two = parse_id(resolve(b).id);
  git_oid base;
  const int code = git_merge_base(&base, handle(), &one, &two);
  if (code == GIT_ENOTFOUND) return std::nullopt;
  check(code, "the merge base of '" + a + "' and '" + b + "' in " + path_);
  return load(base);
}

bool Repo::is_ancestor(const std::string& ancestor, const std::string& descendant) const {
  const git_oid older = parse_id(resolve(ancestor).id);
  const git_oid newer = parse_id(resolve(descendant).id);
  if (git_oid_equal(&older, &newer) != 0) return true;
  const int answer = git_graph_descendant_of(handle(), &newer, &older);
  check(answer, "whether '" + ancestor + "' is an ancestor of '" + descendant + "' in " + path_);
  return answer == 1;
}

std::vector<ChangedFile> Repo::files(const std::string& revision) const {
  const Commit commit = resolve(revision);
  const std::string what = "what " + revision + " changed in " + path_;
  const auto tree = tree_of(handle(), commit.id, what);
  const auto before = commit.parents.empty() ? nullptr : tree_of(handle(), commit.parents.front(), what);
  const auto diff = make<DiffPtr>(what, git_diff_tree_to_tree, handle(), before.get(), tree.get(), nullptr);
  std::vector<ChangedFile> out;
  for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    const auto patch = make<PatchPtr>(what, git_patch_from_diff, diff.get(), i);
    const git_diff_delta* delta = git_diff_get_delta(diff.get(), i);
    ChangedFile file;
    file.path = delta->new_file.path;
    file.status = status_name(delta->status);
    if (patch) {
      check(git_patch_line_stats(nullptr, &file.insertions, &file.deletions, patch.get()), what);
      file.binary = (git_patch_get_delta(patch.get())->flags & GIT_DIFF_FLAG_BINARY) != 0;
    }
    if (delta->old_file.mode == GIT_FILEMODE_COMMIT) file.old_commit = hex(delta->old_file.id);
    if (delta->new_file.mode == GIT_FILEMODE_COMMIT) file.new_commit = hex(delta->new_file.id);
    if (!out.empty() && out.back().path == file.path) {  // a file that became a link comes as deleted and added
      out.back().insertions += file.insertions;
      out.back().deletions += file.deletions;
      out.back().status = "type changed";
      out.back().new_commit = file.new_commit;
      continue;
    }
    out.push_back(std::move(file));
  }
  return out;
}

std::optional<std::string> Repo::read(const std::string& revision, const std::string& path) const {
  const std::string what = "'" + path + "' of " + revision + " in " + path_;
  const auto tree = tree_of(handle(), resolve(revision).id, what);
  git_tree_entry* entry = nullptr;
  const int code = git_tree_entry_bypath(&entry, tree.get(), path.c_str());
  const TreeEntryPtr owner(entry);
  if (code == GIT_ENOTFOUND || (code == 0 && git_tree_entry_type(entry) != GIT_OBJECT_BLOB)) return std::nullopt;
  check(code, what);
  const auto blob = make<BlobPtr>(what, git_blob_lookup, handle(), git_tree_entry_id(entry));
  return std::string(static_cast<const char*>(git_blob_rawcontent(blob.get())),
                     static_cast<std::size_t>(git_blob_rawsize(blob.get())));
}

std::vector<std::string> Repo::reference_names(const std::vector<std::string>& prefixes) const {
  std::vector<std::string> out;
  for (const std::string& prefix : prefixes) {
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    const auto iterator = make<ReferenceIteratorPtr>("the references of " + path_, git_reference_iterator_glob_new,
                                                     handle(), (prefix + "*").c_str());
    const char* name = nullptr;
    while (git_reference_next_name(&name, iterator.get()) == 0)
      if (!std::string_view(name).ends_with("/HEAD")) out.emplace_back(name + prefix.size());
    std::sort(out.begin() + begin, out.end());
  }
  return out;
}

std::string Repo::default_branch() const {
  constexpr std::string_view prefix = "refs/remotes/";
  const auto head = try_make<ReferencePtr>(git_reference_lookup, handle(), "refs/remotes/origin/HEAD");
  const std::string target = text_or_empty(head ? git_reference_symbolic_target(head.get()) : nullptr);
  if (target.starts_with(prefix) && find(target)) return target.substr(prefix.size());
  for (const char* name : {"main", "master"})
    if (find(std::string("refs/heads/") + name)) return name;
  return "HEAD";
}

std::vector<std::string> Repo::first_parent_at(const std::string& tip, const std::vector<UnixTime>& instants) const {
  std::vector<std::string> out(instants.size());
  std::optional<git_oid> id = parse_id(resolve(tip).id);
  // A commit answers every open instant that is not before it; the open ones are always the earliest.
  for (std::size_t open = instants.size(); open > 0 && id;) {
    git_commit* found = nullptr;
    const int code = git_commit_lookup(&found, handle(), &*id);
    if (code == GIT_ENOTFOUND && shallow()) break;  // the edge of a shallow clone counts as the root
    check(code, "the commit " + hex(*id));
    const CommitPtr commit(found);
    while (open > 0 && git_commit_time(found) <= instants[open - 1]) out[--open] = hex(*id);
    id = git_commit_parentcount(found) > 0 ? std::optional(*git_commit_parent_id(found, 0)) : std::nullopt;
  }
  return out;
}

std::set<std::string> names_in(const DiffPtr& diff) {
  std::set<std::string> names;
  each_change(diff, [&](const git_diff_delta& change) { names.insert(change.new_file.path); });
  return names;
}

std::set<std::string> modified_files(git_repository* repository, git_index* index, bool submodules,
                                     const std::vector<std::string>& without, bool update) {
  const std::string folder = git_repository_workdir(repository), what = "the files of " + folder;
  std::vector<char*> paths;
  std::set<std::string> inner;
  each_entry(index, [&](const git_index_entry& entry) {
    const std::string name = entry.path;
    if ((entry.flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0) return;
    if (entry.mode != GIT_FILEMODE_COMMIT) return paths.push_back(const_cast<char*>(entry.path));
    const bool looks = submodules && std::find(without.begin(), without.end(), name) == without.end();
    if (!looks || ::access((folder + name + "/.git").c_str(), F_OK) != 0) return;
    const RepositoryPtr other = open_repository(folder + name);
    const auto its = make<IndexPtr>(what, git_repository_index, other.get());
    for (const std::string& file : modified_files(other.get(), its.get(), true, {}))
      inner.insert(fmt::format("{}/{}", name, file));
  });
  if (paths.empty()) return inner;
  // Only these paths, without a look at what else lies in their folders, such as a build's outputs.
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_DISABLE_PATHSPEC_MATCH | GIT_DIFF_INCLUDE_TYPECHANGE;
  if (update) options.flags |= GIT_DIFF_UPDATE_INDEX;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
  options.pathspec = {paths.data(), paths.size()};
  auto names = names_in(make<DiffPtr>(what, git_diff_index_to_workdir, repository, index, &options));
  names.merge(inner);
  return names;
}

std::set<std::string> Repo::uncommitted_files() const {
  if (git_repository_is_bare(handle()) != 0) return {};
  const std::string what = "the index of " + path_;
  const auto index = make<IndexPtr>(what, git_repository_index, handle());
  const auto tree = tree_of(handle(), resolve("HEAD").id, what);
  auto names = names_in(make<DiffPtr>(what, git_diff_tree_to_index, handle(), tree.get(), index.get(), nullptr));
  names.merge(modified_files(handle(), index.get(), false, {}, false));
  return names;
}

bool Repo::shallow() const { return git_repository_is_shallow(handle()) == 1; }

Replayed replay(const Repo& repo, Guard& guard, Replay how, const std::string& commit, const std::string& onto) {
  const Commit replayed = repo.resolve(commit), version = repo.resolve(onto);
  const bool reverts = how == Replay::revert;
  const std::string what =
      (reverts ? "reverting " : "applying ") + replayed.id + " on " + version.id + " in " + repo.path();
  const auto its = commit_of(repo.handle(), replayed.id, what), ours = commit_of(repo.handle(), version.id, what);
  const unsigned mainline = replayed.parents.size() > 1 ? 1 : 0;
  const auto index = make<IndexPtr>(what, reverts ? git_revert_commit : git_cherrypick_commit, repo.handle(), its.get(),
                                    ours.get(), mainline, nullptr);
  std::set<std::string> conflicts;
  each_entry(index.get(), [&](const git_index_entry& entry) {
    if (git_index_entry_stage(&entry) > 0) conflicts.insert(entry.path);
  });
  if (!conflicts.empty()) return {version, {conflicts.begin(), conflicts.end()}};
  if (!guard.admit({EffectKind::git, what, needs_to_switch(repo)})) return {version, {}};

  git_oid tree_id{}, id{};
  check(git_index_write_tree_to(&tree_id, index.get(), repo.handle()), what);
  const auto tree = make<TreePtr>(what, git_tree_lookup, repo.handle(), &tree_id);
  const auto by = make<std::unique_ptr<git_signature, Release<git_signature_free>>>(
      what, git_signature_new, "regengine", "regengine@localhost", version.time, 0);
  const std::string message = (reverts ? "Revert " : "Apply ") + replayed.id + "\n\n" + replayed.subject + "\n";
  const git_commit* parent = ours.get();
  check(git_commit_create(&id, repo.handle(), nullptr, by.get(), by.get(), "UTF-8", message.c_str(), tree.get(), 1,
                          &parent),
        what);
  return {repo.resolve(hex(id)), {}};
}

}  // namespace reg::git
