#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/loop/loop.h"
#include "engine/process/command.h"

namespace reg::git {

/// The `git` program in a folder ("" = the engine's), for what libgit2 cannot do: credential helpers, partial clones,
/// submodules, patches that apply some lines off. git never asks on the terminal, and variables that would point it to
/// another repository (GIT_DIR, ...) are taken out of its environment. `words`: after "git".
process::Command git_command(const std::string& folder, const std::vector<std::string>& words);

/// Its stdout; an Error with git's own last words when it fails.
Op<std::string> run_git(Loop& loop, process::Command command);

/// The same for a command that talks to a remote: tried again while the network fails or the remote hangs (loop.h),
/// for `most_s` at most. An attempt that takes longer than its timeout_s, or two hours, hangs.
Op<std::string> run_git_remotely(Loop& loop, process::Command command, double most_s = 1e9);

// Git for a repository that a boxed engine may change, its configuration and hooks included: it works in a private
// repository, and only its objects are the other one's. The boxed engine sets refs and writes files with libgit2.

/// What to bring into a folder of objects.
struct Fetch {
  std::string objects;            ///< the folder, absolute
  std::string url;                ///< see check_url
  std::string filter;             ///< see check_filter
  std::vector<std::string> have;  ///< commits that are there
  std::vector<std::string> ids;   ///< exactly these objects, without refs; {}: all branches, and tags of what comes
  bool head = false;              ///< also tell the default branch
  bool submodule = false;         ///< the URL is what a repository names for a submodule
};

struct Fetched {
  std::map<std::string, std::string> refs;  ///< the remote's: "refs/heads/main" -> id
  std::string head;                         ///< "refs/heads/main"; "" if it does not tell
};

struct Patch {
  std::string objects;  ///< where what it makes is put; those of the files that it changes are there
  std::string tree;     ///< to apply it to
  std::string text;     ///< a unified diff (-p1)
};

struct Patched {
  std::string tree;   ///< the tree with the patch applied; "" when it does not apply
  std::string error;  ///< git's words then
};

/// A new folder for one request, and what the kernel holds git to while it works there.
struct PrivatePlace {
  std::string folder;
  std::shared_ptr<const box::Landlock> box;
  bool remote = false;  ///< it may use the user's own settings, which it needs for a remote alone
};

/// Both throw usage for what is not a valid id, URL or filter.
Op<Fetched> fetch_in(Loop& loop, PrivatePlace place, Fetch what);
Op<Patched> apply_in(Loop& loop, PrivatePlace place, Patch what);

/// Who does both for this process, where it is boxed.
struct GitElsewhere {
  std::function<Op<Fetched>(const Fetch&)> fetch;
  std::function<Op<Patched>(const Patch&)> apply;
};
/// Set by a boxed process for as long as it is one.
inline std::optional<GitElsewhere>& git_elsewhere() {
  static std::optional<GitElsewhere> in_use;
  return in_use;
}

}  // namespace reg::git
