#pragma once

#include <git2.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "engine/git/repo.h"

namespace reg::git {

/// The tracked files of a worktree whose content, mode or presence is not what its index says: `git diff --name-only`
/// without a look at untracked files. With `update`, entries whose file was only touched get their new times in the
/// index, so that the next look need not read them again. Submodules are looked into where `submodules`, except those
/// at the paths `without`.
std::vector<std::string> modified_files(git_repository* repository, git_index* index, bool submodules,
                                        const std::vector<std::string>& without, bool update = true);

/// The tracked files of a repository's own working tree that differ from HEAD, staged or not. None in a bare one.
std::set<std::string> uncommitted_files(const Repo& repo);

/// Moves these files of a worktree into a folder, in place of those that are there. Of a folder that became a link it
/// is the link: what that leads to stays. Submodules stay; files of more than 16 MiB are removed.
void move_files(git_repository* repository, git_index* index, const std::set<std::string>& names,
                const std::filesystem::path& into);

}  // namespace reg::git
