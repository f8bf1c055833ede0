#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/git/repo.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg::git {

class WorktreeFiles;

struct CheckoutOptions {
  std::string patch = {};   ///< a unified diff (-p1) applied on top, and taken back at the next checkout; "" = none
  bool submodules = false;  ///< `git submodule update --init --recursive` afterwards
  std::vector<std::string> only = {};             ///< paths of the submodules to update; {}: all
  std::vector<std::string> without = {};          ///< paths of submodules that are left as they are
  std::map<std::string, std::string> files = {};  ///< other texts for files of the commit, by path; before the patch
};

/// One working tree that stays at its path and goes from commit to commit, touching only files that differ, so that
/// incremental builds stay incremental. Untracked files stay. What a person changes while no command runs is refused
/// (conflict), never overwritten. Owns a lock on the worktree, against a second engine. The switching itself is
/// libgit2's (WorktreeFiles), on a worker; patches, submodules and the missing parts of partial clones are git's.
class Worktree : public std::enable_shared_from_this<Worktree> {
 public:
  ~Worktree();
  /// Makes it at `path`, detached and still empty, or opens it when it is there and belongs to `repo`. One that
  /// regengine made and whose repository no longer knows it is made again. Throws conflict for any other folder, and
  /// when another engine holds it.
  static Op<std::shared_ptr<Worktree>> open(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo, std::string path);

  const std::string& path() const { return path_; }
  const std::shared_ptr<Repo>& repo() const { return repo_; }

  /// Throws not_found for the revision; conflict for uncommitted changes and for an untracked file in the way;
  /// failed_trial for a patch that does not apply (the tree is then at the commit without it).
  Op<Commit> checkout(std::string revision, CheckoutOptions options);

  /// Where what commands change is kept, with their output, from the next checkout or `from_now` on.
  void keep_changes_in(const std::string& folder, bool from_now);

  /// The commit it is at.
  Commit head() const;

  /// Removes the folder with everything untracked in it. Throws conflict for uncommitted changes.
  Op<Nothing> remove();

 private:
  Worktree(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo, std::string path);
  std::vector<Need> needs() const;
  std::shared_ptr<void> busy();
  bool hold();  // false: somebody else does
  bool ran() const { return guard_.commands() > commands_; }
  void tell();
  void leave_out(const CheckoutOptions& options);
  Op<Commit> switch_to(Commit commit, CheckoutOptions options);

  Loop& loop_;
  Guard& guard_;
  std::shared_ptr<Repo> repo_;
  std::string path_;
  std::unique_ptr<WorktreeFiles> files_;  // nullptr in a dry run that would have made the worktree
  std::string pretended_head_;            // where a dry run would be
  Fd lock_;
  Fd mark_lock_;  // what is left to lock when the repository is removed meanwhile
  bool busy_ = false;
  bool told_ = false;                // that something was reset
  std::size_t commands_ = SIZE_MAX;  // of the guard, at the end of the last switch
  bool submodules_ = false;          // of the last switch, with `without_`
  std::vector<std::string> without_;
  std::set<std::string> missing_;  // submodules to update that a commit lacked
};

}  // namespace reg::git
