#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/guard/effect.h"

struct git_repository;
struct git_oid;

namespace reg {
class Guard;
}

namespace reg::git {

/// Before the first repository is opened: the configuration of the user and the machine does not count. A boxed engine
/// cannot read it.
void ignore_user_configuration();

struct Commit {
  std::string id;     ///< 40 hex digits
  UnixTime time = 0;  ///< of the committer
  UnixTime author_time = 0;
  std::string author;
  std::string email;
  std::string subject;  ///< the first paragraph on one line
  std::string message;
  std::vector<std::string> parents;
};

struct ChangedFile {
  std::string path;
  std::string status;  ///< added, deleted, modified, type changed
  std::size_t insertions = 0;
  std::size_t deletions = 0;
  bool binary = false;
  std::string old_commit = {};  ///< of a submodule: what it was at, and is at; "" where it is none
  std::string new_commit = {};
};

struct LogOptions {
  std::string from = {};  ///< this commit and its ancestors are left out; "" = none
  std::string to = "HEAD";
  bool first_parent = false;
  std::optional<UnixTime> since = {};  ///< committer times, both ends included
  std::optional<UnixTime> until = {};
  std::optional<std::size_t> limit = {};
};

/// Throws usage when `value`, which a script gave as `what`, would be taken for an option.
void refuse_option(const std::string& what, const std::string& value);

/// A repository for reading: commits, refs and what changed; one thread at a time. It does not honour refs/replace, and
/// in a partial clone sees only what has been fetched.
class Repo {
 public:
  /// Of a clone's root or a bare repository; throws not_found, and does not search the folders above.
  explicit Repo(const std::string& path);
  /// The private clone of `origin` at `path`, see made.h.
  Repo(const std::string& path, const Repo& origin);

  /// The root of the working tree or of the bare repository, absolute; of a private clone that of its origin.
  const std::string& path() const { return path_; }
  git_repository* handle() const { return repository_.get(); }
  /// The folder of the repository proper, which its linked worktrees share: a ".git" or the bare repository; links
  /// resolved.
  std::string common_folder() const;
  /// Where that lies: path(), or for a linked worktree the root of the clone it belongs to.
  std::string home() const;
  /// The folder of its objects.
  std::string objects() const { return common_folder() + "/objects"; }
  /// The address of a remote; nullopt when there is none of that name.
  std::optional<std::string> url_of(const std::string& remote) const;
  /// That of the branch that is checked out, or else "origin".
  std::string default_remote() const;

  /// A branch, tag, id, HEAD~3, ...: nullopt when there is no such commit. Throws usage when it is ambiguous, or
  /// begins with '-'.
  std::optional<Commit> find(const std::string& revision) const;
  /// The same; throws not_found with the branch or tag that may have been meant.
  Commit resolve(const std::string& revision) const;

  /// Newest first, in the order of `git log`.
  std::vector<Commit> log(const LogOptions& options) const;
  /// `git rev-list --reverse --topo-order [--first-parent] good..bad`
  std::vector<Commit> between(const std::string& good, const std::string& bad, bool first_parent) const;
  std::optional<Commit> merge_base(const std::string& a, const std::string& b) const;
  /// Whether `ancestor` is reachable from `descendant`; a commit is its own ancestor.
  bool is_ancestor(const std::string& ancestor, const std::string& descendant) const;

  /// What the commit changed against its first parent (against nothing, for a root), by path; renames are not sought.
  std::vector<ChangedFile> files(const std::string& revision) const;

  /// The text of a file in that commit: nullopt when there is none, or something else at the path. Throws not_found for
  /// what a partial clone lacks.
  std::optional<std::string> read(const std::string& revision, const std::string& path) const;

  /// Local ones, then remote ones as "origin/main"; each part sorted.
  std::vector<std::string> branches() const { return reference_names({"refs/heads/", "refs/remotes/"}); }
  std::vector<std::string> tags() const { return reference_names({"refs/tags/"}); }
  /// What origin/HEAD names, else main, else master, else HEAD.
  std::string default_branch() const;

  /// For each instant (ascending) the id that `git rev-list -1 --first-parent --before=<instant> tip` gives, or "", by
  /// one walk.
  std::vector<std::string> first_parent_at(const std::string& tip, const std::vector<UnixTime>& instants) const;

  /// The tracked files of its own working tree that differ from HEAD, staged or not. None in a bare one.
  std::set<std::string> uncommitted_files() const;

  bool shallow() const;

 private:
  Commit load(const git_oid& id) const;
  std::vector<Commit> walk(const LogOptions& options, unsigned order) const;
  std::vector<std::string> reference_names(const std::vector<std::string>& prefixes) const;

  std::unique_ptr<git_repository, std::function<void(git_repository*)>> repository_;
  std::string path_;
};

enum class Replay { revert, apply };

/// A commit taken out of a version, or put onto one.
struct Replayed {
  Commit commit;                       ///< on top of the version, unless there are conflicts; in a dry run the version
  std::vector<std::string> conflicts;  ///< the files that do not merge, sorted
};

/// The version `onto` with what `commit` changed against its first parent undone (as `git revert -m 1`) or done (as
/// `git cherry-pick -m 1`), as one more commit, merged in memory. It has fixed authors and the date of `onto`, so the
/// same question gives the same id. No ref names it. Throws not_found for a revision.
Replayed replay(const Repo& repo, Guard& guard, Replay how, const std::string& commit, const std::string& onto);

// What a repository that came with a script may reach beyond itself (needs.cpp).

/// Throws usage for an address that git would not simply speak to: an option, a helper program ("ext::..."), or a path
/// with ".." in it, which could leave what a pattern such as "https://host/folder/*" means.
void check_url(const std::string& url);

/// What the address of a clone or a fetch reaches: the URL, or for a repository on this machine its path.
Need need_of_url(const std::string& url);

/// A repository at this path. Free in the workspace.
Need reading(const std::string& path);

/// The folder, the repository proper of a linked worktree, and what its links lead to. Free in the workspace.
std::vector<Need> needs_to_read(const Repo& repo);

/// To make and switch worktrees of it: known by its path, and by the URL it was cloned from; and a shell if it names
/// programs for git to run.
std::vector<Need> needs_to_switch(const Repo& repo);

/// The alternates: permitted by the folder of objects, which comes first among the names, or by its repository.
std::vector<Need> needs_of_alternates(const std::string& objects);

/// That of a shell if its own configuration names programs for git to run (core.sshCommand, filters, helpers).
std::vector<Need> needs_of_programs(const Repo& repo);

/// The remotes that a partial clone's missing objects are fetched from, whenever git needs one.
std::vector<std::string> promisors(git_repository* repository);

}  // namespace reg::git
