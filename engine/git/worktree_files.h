#pragma once

#include <git2.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/git/repo.h"

namespace reg::git {

/// The files of one worktree and their switching from tree to tree, by libgit2. It blocks, knows no loop and no policy,
/// and serves one thread at a time.
///
/// A tree here is what the files are: a commit's own, or that with a patch applied. What they are is recorded in the
/// worktree's git folder before and after each switch, so that a switch that was killed half way is told apart from a
/// person's edits and finished at the next one. The index always holds the recorded tree.
///
/// What commands change in tracked files is reset, and kept, at the next switch or at the end. So what differs when
/// nobody has the worktree is a person's, unless the record says that the last process was killed.
/// It does not run git's hooks or external filters (git-lfs), and it leaves submodules to git.
class WorktreeFiles {
 public:
  explicit WorktreeFiles(const std::string& path);
  ~WorktreeFiles();

  const std::string& git_folder() const;
  std::string head() const;  ///< the commit's id
  std::string tree_of(const std::string& commit) const;

  /// The tree of that id with other texts in some of its files, by path. Throws not_found for a file that it lacks.
  std::string with_texts(const std::string& tree, const std::map<std::string, std::string>& texts) const;

  /// Readies for a switch: finishes one that was killed and its locks, and resets what commands changed in tracked
  /// files. `ran`: commands ran since finish(). Throws conflict, naming the files, for a person's changes. Submodules
  /// count where `submodules`, except those `without`; true: what git finds in their way is ours.
  bool prepare(bool submodules, const std::vector<std::string>& without, bool ran);
  /// What was set aside since the last call, and where it is kept; "" for nothing.
  std::string take_said();
  /// The folder with the output of the commands from the next switch on, or `from_now` on: what they change is kept
  /// there.
  void use_output(const std::string& folder, bool from_now);
  /// Resets what commands changed since finish(), if they `ran`. The other arguments are those of the last prepare().
  void close(bool submodules, const std::vector<std::string>& without, bool ran);
  /// The commit that the files were at and that prepare() no longer found in the repository; "" where it did.
  const std::string& lost_commit() const;

  /// The remote that holds what a partial clone lacks; "" where the clone is whole.
  std::string promisor() const;
  /// The ids of blobs that going to `tree` needs and the clone lacks.
  std::vector<std::string> missing_blobs(const std::string& tree) const;

  /// Makes the files those of `tree` and HEAD `commit`, writing and removing only what differs. An untracked file in
  /// the way is set aside if trials ran here; else it throws conflict, with nothing changed. finish() must follow.
  void move(const std::string& commit, const std::string& tree);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The tracked files of a worktree whose content, mode or presence is not what its index says: `git diff --name-only`
/// without a look at untracked files. With `update`, entries whose file was only touched get their new times in the
/// index, so that the next look need not read them again. Submodules are looked into where `submodules`, except those
/// at the paths `without`.
std::vector<std::string> modified_files(git_repository* repository, git_index* index, bool submodules,
                                        const std::vector<std::string>& without, bool update = true);

/// The tracked files of a repository's own working tree that differ from HEAD, staged or not. None in a bare one.
std::set<std::string> uncommitted_files(const Repo& repo);

/// Moves these files of a worktree into a folder, in place of those that are there. Of a folder that became a link it
/// is the link: what that leads to stays. Submodules stay; files of more than 16 MiB are removed.
void move_files(git_repository* repository, git_index* index, const std::set<std::string>& names,
                const std::filesystem::path& into);

}  // namespace reg::git
