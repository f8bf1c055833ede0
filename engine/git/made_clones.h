#pragma once

#include <string>
#include <vector>

namespace reg::git {

/// The clones below .regengine/repos of one workspace, private ones among them: those whose name ends with the hash of
/// the address that they were cloned from. Others are not regengine's.
std::vector<std::string> made_clones(const std::string& workspace);

/// Removes one with everything in it. Throws conflict if a worktree still uses it, or if it holds what the address does
/// not have: a changed or new file, or a commit of nobody else.
void remove_made_clone(const std::string& path);

}  // namespace reg::git
