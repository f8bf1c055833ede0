#pragma once

#include <memory>
#include <string>

#include "engine/git/remote.h"

// What `git clone` and `git fetch` do, in a boxed engine: git_elsewhere() brings the objects, libgit2 does the rest
// here.

namespace reg::git {

/// Makes the clone at `path`, where nothing is yet.
Op<Nothing> clone_by_parts(Loop& loop, std::string url, std::string path, CloneOptions options);

/// Sets the refs that the remote's configuration names, and tags that are new. `url`: that of `remote`.
Op<Nothing> fetch_by_parts(Loop& loop, std::shared_ptr<Repo> repo, std::string remote, std::string url);

}  // namespace reg::git
