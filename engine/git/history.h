#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/git/repo.h"
#include "engine/guard/policy.h"

// What the history of a repository gives besides its own versions: a commit taken out of one or put onto one, and
// several repositories in step.

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

struct TimelineRepo {
  std::string name;
  const Repo* repo = nullptr;
  std::string branch;  ///< exactly this ref; "" = the repository's default branch
};

struct TimelinePoint {
  UnixTime time = 0;
  std::vector<Commit> commits;     ///< one a repository, in the order given
  std::vector<std::string> moved;  ///< the names of those that differ from the point before; none at the first
};

/// Several repositories in step: at each instant from `from` to `to`, for each its branch's last first-parent commit at
/// or before then (Repo::first_parent_at). An instant at which no repository moved is left out.
/// Throws usage for from > to, not_found for a missing branch and where a repository has nothing at `from` yet.
std::vector<TimelinePoint> timeline(const std::vector<TimelineRepo>& repos, UnixTime from, UnixTime to, UnixTime every);

}  // namespace reg::git
