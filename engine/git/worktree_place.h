#pragma once

#include <string>

#include "engine/git/repo.h"

namespace reg::git {

/// True: a worktree of `repo` is at `path`. False: nothing is, or an empty folder. Throws conflict for anything else,
/// the repository's own working tree included.
bool find_worktree(const Repo& repo, const std::string& path);

/// Makes a worktree there, detached at `commit` and without files. `git worktree add` leaves the repository broken for
/// every later worktree command when it is killed at the wrong moment; here one rename makes it known to git, whole.
void make_worktree(const Repo& repo, const std::string& path, const std::string& commit);

}  // namespace reg::git
