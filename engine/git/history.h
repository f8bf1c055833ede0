#pragma once

#include <string>
#include <vector>

#include "engine/git/repo.h"
#include "engine/guard/policy.h"

namespace reg::git {

enum class Replay { revert, apply };

/// A commit taken out of a version, or put onto one.
struct Replayed {
  Commit commit;                       ///< on top of the version, unless there are conflicts; in a dry run the version
  std::vector<std::string> conflicts;  ///< the files that do not merge, sorted
};

/// The version `onto` with what `commit` changed against its first parent undone (as `git revert -m 1`) or done (as
/// `git cherry-pick -m 1`), as one more commit. It is merged in memory, so no working tree changes. The
/// commit has fixed authors and the date of `onto`, so the same question gives the same id. No ref names it. Throws
/// not_found for a revision.
Replayed replay(const Repo& repo, Guard& guard, Replay how, const std::string& commit, const std::string& onto);

}  // namespace reg::git
