#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/git/repo.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg::git {

struct CloneOptions {
  std::string branch;  ///< "" = the remote's default
  std::string filter;  ///< "blob:none" or "blob:limit=SIZE": a partial clone; "" = everything
  bool bare = false;
};

/// Throws usage for what is neither "" nor a valid one.
void check_filter(const std::string& filter);

/// `git clone` to `path`, by the git program: libgit2 has neither partial clones nor git's credential helpers. It
/// clones beside `path` and renames, so that a clone broken off is never taken for a whole one; what an earlier attempt
/// left behind is removed. Throws conflict when `path` is there already.
Op<Nothing> clone(Loop& loop, Guard& guard, std::string url, std::string path, CloneOptions options);

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
/// the files here. `folder`: a working tree, at the commit; `without`: paths that are left as they are. Throws
/// not_found where a URL is missing, and for a commit that the submodule's repository lacks.
Op<Nothing> update_submodules(Loop& loop, std::string folder, std::vector<std::string> without);

}  // namespace reg::git
