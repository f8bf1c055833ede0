#pragma once

#include <memory>
#include <string>

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

}  // namespace reg::git
