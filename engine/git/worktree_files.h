#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace reg::git {

/// The files of one worktree and their switching from tree to tree, by libgit2. It blocks, knows no loop and no policy,
/// and serves one thread at a time.
///
/// A tree here is what the files are: a commit's own, or that with a patch applied. What they are is recorded in the
/// worktree's git folder before and after each switch, so that a switch that was killed half way is told apart from a
/// person's edits and finished at the next one. The index always holds the recorded tree.
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

  /// Readies for a switch: finishes one that was killed (true then) and its locks. Throws conflict, naming the files,
  /// when tracked files differ from what is recorded; submodules count where `submodules`, except those `without`.
  bool prepare(bool submodules, const std::vector<std::string>& without);
  /// The commit that the files were at and that prepare() no longer found in the repository; "" where it did.
  const std::string& lost_commit() const;

  /// The remote that holds what a partial clone lacks; "" where the clone is whole.
  std::string promisor() const;
  /// The ids of blobs that going to `tree` needs and the clone lacks.
  std::vector<std::string> missing_blobs(const std::string& tree) const;

  /// Makes the files those of `tree` and HEAD `commit`, writing and removing only what differs. Throws conflict, with
  /// nothing changed, when an untracked file is in the way. finish() must follow.
  void move(const std::string& commit, const std::string& tree);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reg::git
