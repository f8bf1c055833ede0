#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/git/handles.h"

namespace reg::git {

/// The files of one worktree and their switching from tree to tree, by libgit2. It blocks and serves one thread at a
/// time, runs no hooks or external filters (git-lfs), and leaves submodules to git.
///
/// A tree here is what the files are: a commit's own, or that with a patch applied. It is recorded in the worktree's
/// git folder before and after each switch, so that a killed switch is told apart from a person's edits and finished at
/// the next one. The index always holds the recorded tree. What commands change in tracked files is reset, and kept, at
/// the next switch or at the end. So what differs when nobody has the worktree is a person's, unless the record says
/// that the last process was killed.
class WorktreeFiles {
 public:
  explicit WorktreeFiles(const std::string& path);

  const std::string& git_folder() const { return git_folder_; }
  std::string head() const;  ///< the commit's id
  std::string tree_of(const std::string& commit) const;

  /// The tree of that id with other texts in some of its files, by path. Throws not_found for a file that it lacks.
  std::string with_texts(const std::string& tree, const std::map<std::string, std::string>& texts) const;

  /// Readies for a switch: finishes one that was killed and its locks, and resets what commands changed in tracked
  /// files. `ran`: commands ran since finish(). Throws conflict, naming the files, for a person's changes. Submodules
  /// count where `submodules`, except those `without`; true: what git finds in their way is ours.
  bool prepare(bool submodules, const std::vector<std::string>& without, bool ran);
  /// What was set aside since the last call, and where it is kept; "" for nothing.
  std::string take_said() { return std::exchange(said_, ""); }
  /// Where what commands change is kept, with their output, from the next switch or `from_now` on.
  void use_output(const std::string& folder, bool from_now);
  /// Resets what commands changed since finish(), if they `ran`. The other arguments are those of the last prepare().
  void close(bool submodules, const std::vector<std::string>& without, bool ran);

  /// The ids of blobs that going to `tree` needs and the clone lacks.
  std::vector<std::string> missing_blobs(const std::string& tree) const;

  /// Makes the files those of `tree` and HEAD `commit`, writing and removing only what differs. An untracked file in
  /// the way is set aside if trials ran here; else it throws conflict, with nothing changed. finish() must follow.
  void move(const std::string& commit, const std::string& tree);
  void finish();

 private:
  // What a file in the git folder says of it. With `to_*` set, a switch to those was under way.
  struct Record {
    std::string commit, tree;  // "" before the first switch, when the folder is empty
    std::string to_commit, to_tree;
    bool open = false;   // a process has it, and resets it when it is done; if none has it, that one was killed
    std::string output;  // the folder for what commands change, with their output; "" if none ever ran
  };
  void read_record();
  void write_record() const;

  TreePtr tree(const std::string& id) const;
  DiffPtr diff(const std::string& from, const std::string& to) const;
  void write_files(const std::string& from, const std::string& to, const std::set<std::string>& names, bool force);
  bool is_side(const git_diff_delta& change) const;
  std::string tree_of_index() const;
  void set_head(const std::string& commit) const;
  void finish_killed_switch();
  void arrive();
  void take_stock();
  std::set<std::string> staged() const;
  std::set<std::string> changed_files(bool submodules, const std::vector<std::string>& without);
  void set_aside(const std::set<std::string>& names);

  std::string path_;
  RepositoryPtr repository_;
  IndexPtr index_;
  std::string git_folder_;
  std::string record_file_;
  std::string output_;   // the folder with the output of the trial that has it
  std::string said_;     // what was reset, until it is taken
  bool opened_ = false;  // by this object: it says in the record when it is done
  Record record_;
};

/// The new paths of what a diff lists.
std::set<std::string> names_in(const DiffPtr& diff);

/// The tracked files whose content, mode or presence is not what the index says. With `update`, entries whose file was
/// only touched get their new times in the index. Submodules are looked into where `submodules`, except those
/// `without`.
std::set<std::string> modified_files(git_repository* repository, git_index* index, bool submodules,
                                     const std::vector<std::string>& without, bool update = true);

}  // namespace reg::git
