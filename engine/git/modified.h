#pragma once

#include <git2.h>

#include <string>
#include <vector>

namespace reg::git {

/// The tracked files of a worktree whose content, mode or presence is not what its index says: `git diff --name-only`
/// without a look at untracked files. Entries whose file was only touched get their new times in the index (in memory),
/// so that the next look need not read them again. Submodules are looked into where `submodules`,
/// except those at the paths `without`.
std::vector<std::string> modified_files(git_repository* repository, git_index* index, bool submodules,
                                        const std::vector<std::string>& without);

}  // namespace reg::git
