#pragma once

#include <string>
#include <vector>

#include "engine/git/repo.h"
#include "engine/guard/effect.h"

// A repository that came with a script may reach beyond itself.

namespace reg::git {

/// Throws usage for an address that git would not simply speak to: an option, a helper program ("ext::..."), or a path
/// with ".." in it, which could leave what a pattern such as "https://host/folder/*" means.
void check_url(const std::string& url);

/// What the address of a clone or a fetch reaches: the URL, or for a repository on this machine its path.
Need need_of_url(const std::string& url);

/// A repository at this path. Free in the workspace.
Need reading(const std::string& path);

/// The folder, the repository proper of a linked worktree, and what its links lead to. Free in the workspace.
std::vector<Need> needs_to_read(const Repo& repo);

/// To make and switch worktrees of it: known by its path, and by the URL it was cloned from; and a shell if it names
/// programs for git to run.
std::vector<Need> needs_to_switch(const Repo& repo);

/// The alternates: permitted by the folder of objects, which comes first among the names, or by its repository.
std::vector<Need> needs_of_alternates(const std::string& objects);

/// That of a shell if its own configuration names programs for git to run (core.sshCommand, filters, helpers).
std::vector<Need> needs_of_programs(const Repo& repo);

/// The remotes that a partial clone's missing objects are fetched from, whenever git needs one.
std::vector<std::string> promisors(git_repository* repository);

}  // namespace reg::git
