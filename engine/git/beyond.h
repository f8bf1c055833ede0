#pragma once

#include <string>
#include <vector>

#include "engine/git/repo.h"
#include "engine/guard/effect.h"

// A repository that came with a script may reach beyond itself.

namespace reg::git {

/// What git reads elsewhere for it: where a link in its folder leads, and alternates. Free in the workspace.
std::vector<Need> needs_of_links(const Repo& repo);
/// The alternates alone: permitted by the folder of objects, which comes first among the names, or by its repository.
std::vector<Need> needs_of_alternates(const std::string& objects);

/// That of a shell if its own configuration names programs for git to run (core.sshCommand, filters, helpers).
std::vector<Need> needs_of_programs(const Repo& repo);

/// The remotes that a partial clone's missing objects are fetched from, whenever git needs one.
std::vector<std::string> promisors(git_repository* repository);

}  // namespace reg::git
