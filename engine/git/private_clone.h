#pragma once

#include <memory>
#include <string>

#include "engine/git/repo.h"
#include "engine/guard/policy.h"

// A script from elsewhere writes to no repository outside its folder. It gets a clone below .regengine/repos that has
// the refs of that repository as they are when it is opened, and reads its objects where they lie. Fetched objects,
// refs and worktrees go into the clone. Of the other configuration only remotes, branches and line endings count.

namespace reg::git {

/// Opens the repository at `path` for the script. One outside the current folder is opened as its private clone where
/// the script is untrusted: the clone is made, or found again and given the refs of now. A dry run makes none.
/// Throws not_found, permission, and conflict for a clone in whose place something else lies.
std::shared_ptr<Repo> open(Guard& guard, const std::string& path);

/// The path of the repository that the one at `path` is a private clone of; "" if it is none.
std::string origin_of_private_clone(const std::string& path);

/// The digits at the end of a clone's name, for the address that it was cloned from.
std::string digits_of(const std::string& address);

}  // namespace reg::git
