#pragma once

#include <string>
#include <vector>

#include "engine/loop/loop.h"

namespace reg::git {

/// `git submodule update --init --recursive` in a boxed engine: git_elsewhere() fetches what is missing, libgit2 writes
/// the files here. `folder`: a working tree, at the commit; `without`: paths that are left as they are. Throws
/// not_found where a URL is missing, and for a commit that the submodule's repository lacks.
Op<Nothing> update_submodules(Loop& loop, std::string folder, std::vector<std::string> without);

}  // namespace reg::git
