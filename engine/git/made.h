#pragma once

#include <string>
#include <vector>

#include "engine/git/worktree.h"

namespace reg::git {

/// A worktree that regengine made below .regengine/worktrees.
struct MadeWorktree {
  std::string path;
  std::string home;     ///< of its repository
  bool stale = false;   ///< the repository is gone, or no longer knows it
  bool in_use = false;  ///< a running engine holds it
};

/// Those of one workspace. A folder that regengine did not make is not among them.
std::vector<MadeWorktree> made_worktrees(const std::string& workspace);

/// Removes one with everything in it. Rejects with conflict if somebody uses it, or changed a tracked file in it.
Op<Nothing> remove_made_worktree(Loop& loop, Guard& guard, MadeWorktree tree);

/// The clones below .regengine/repos of one workspace, private ones among them: those whose name ends with the hash of
/// the address that they were cloned from. Others are not regengine's.
std::vector<std::string> made_clones(const std::string& workspace);

/// Removes one with everything in it. Throws conflict if a worktree still uses it, or if it holds what the address does
/// not have: a changed or new file, or a commit of nobody else.
void remove_made_clone(const std::string& path);

}  // namespace reg::git
