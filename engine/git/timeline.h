#pragma once

#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/git/repo.h"

namespace reg::git {

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
