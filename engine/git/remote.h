#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/git/repo.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg::git {

/// That of a partial clone, "blob:none" or "blob:limit=SIZE"; "" = everything. Throws usage for any other.
void check_filter(const std::string& filter);

/// `git clone` to `path`, by the git program: libgit2 has neither partial clones nor git's credential helpers. It
/// clones beside `path` and renames: a clone broken off is never taken for a whole one. Throws conflict when `path` is
/// there already.
Op<Nothing> clone(Loop& loop, Guard& guard, std::string url, std::string path, std::string filter);

/// `git fetch`, by the git program for the same reasons.
Op<Nothing> fetch(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo, std::string remote);

/// How long a host that does not answer is tried again, and how long an attempt to reach one may take.
constexpr double kReachSubmodule_s = 30;

/// The paths of the submodules in the index of a working tree, except `only`.
std::vector<std::string> submodules_except(const std::string& folder, const std::vector<std::string>& only);

/// Throws unless the remotes answer that have the commits of submodules which are missing here. A clone by git would
/// wait for minutes, and say less.
Op<Nothing> reach_submodules(Loop& loop, std::string folder, std::vector<std::string> without);

/// `git submodule update --init --recursive` in a boxed engine: git_elsewhere() fetches what is missing, libgit2 writes
/// the files of the working tree `folder`, but leaves the paths `without`. Throws not_found where a URL or a commit is
/// missing.
Op<Nothing> update_submodules(Loop& loop, std::string folder, std::vector<std::string> without);

}  // namespace reg::git
