#pragma once

#include <string>
#include <vector>

#include "engine/loop/loop.h"

namespace reg::git {

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
