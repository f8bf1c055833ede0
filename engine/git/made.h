#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/git/repo.h"
#include "engine/git/worktree.h"
#include "engine/guard/policy.h"

namespace reg::git {

/// A worktree that regengine made below .regengine/worktrees.
struct MadeWorktree {
  std::string path;
  std::string home;     ///< of its repository
  bool stale = false;   ///< the repository is gone, or no longer knows it
  bool in_use = false;  ///< a running engine holds it
};

/// Those of one workspace. A folder that regengine did not make is not among them.
std::vector<MadeWorktree> made_worktrees(const std::string& workspace);

/// Removes one with everything in it. Rejects with conflict if somebody uses it, or changed a tracked file in it.
Op<Nothing> remove_made_worktree(Loop& loop, Guard& guard, MadeWorktree tree);

/// The clones below .regengine/repos of one workspace, private ones among them: those whose name ends with the hash of
/// the address that they were cloned from. Others are not regengine's.
std::vector<std::string> made_clones(const std::string& workspace);

/// Throws conflict if a worktree still uses it, or if it holds what the address does not have: a changed or new file,
/// or a commit of nobody else.
void remove_made_clone(const std::string& path);

/// Eight hex digits for the repository on this machine: equal for all worktrees of a clone, different for every clone.
std::string identity_of(const Repo& repo);

/// The name of the folder, with '-' for what is neither a letter, a digit nor '_'.
std::string name_for(const std::string& path);

/// Where the worktree of `repo` lies unless a script says where: .regengine/worktrees/NAME-IDENTITY.
std::string default_place(const Repo& repo);

/// The file that says regengine made the worktree at `path`: a copy of its link to its repository. "" for a path that
/// is not right below .regengine/worktrees.
std::string mark_of(const std::string& path);

enum class Place {
  free,   ///< nothing, or an empty folder
  taken,  ///< a worktree of the repository
  stale,  ///< a worktree made by regengine whose repository is gone, or no longer knows it
};

/// What is at `path`, an absolute path. Throws conflict for anything else, the repository's own working tree included.
Place look_at_place(const Repo& repo, const std::string& path);

/// The folder inside the repository that a worktree's link names; "" if the text is not such a link.
std::string linked_folder(const std::string& link_text);
/// The home of the repository that this folder is in.
std::string linked_home(const std::string& folder);

/// Makes a worktree there, detached at `commit` and without files. `git worktree add` leaves the repository broken for
/// every later worktree command when it is killed at the wrong moment; here one rename makes it known to git, whole.
void make_worktree(const Repo& repo, const std::string& path, const std::string& commit);

/// Removes it with all files, and from the repository, as `git worktree remove --force` does. `git_folder`: its own
/// part of the repository. Throws conflict for one that was locked by hand.
void remove_worktree(const std::string& path, const std::string& git_folder);

// A script from elsewhere writes to no repository outside its folder. It gets a clone below .regengine/repos that has
// the refs of that repository as they are when it is opened, and reads its objects where they lie. Of the configuration
// only remotes, branches and line endings count.

/// Opens the repository at `path` for the script: one outside the current folder as its private clone where the script
/// is untrusted. Throws not_found, permission, and conflict for a clone in whose place something else lies.
std::shared_ptr<Repo> open(Guard& guard, const std::string& path);

/// The path of the repository that the one at `path` is a private clone of; "" if it is none.
std::string origin_of_private_clone(const std::string& path);

/// The digits at the end of a clone's name, for the address that it was cloned from.
std::string digits_of(const std::string& address);

}  // namespace reg::git
