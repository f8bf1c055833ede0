#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/loop/loop.h"
#include "engine/process/command.h"

namespace reg::git {

/// What the `git` program is asked to do, where libgit2 cannot: credential helpers, partial clones, submodules, patches
/// that apply some lines off. No shell; git never asks on the terminal (it fails instead), and variables that would
/// point it to another repository (GIT_DIR, ...) are taken out of its environment.
struct GitCommand {
  std::string folder;             ///< git -C
  std::vector<std::string> argv;  ///< after "git"
  std::string input = {};
  std::map<std::string, std::string> env = {};
  std::optional<double> timeout_s = {};
  std::shared_ptr<const box::Landlock> box = {};  ///< what it is held to; nullptr: it may reach what the engine may
};

/// How it went, whatever git said.
Op<process::Outcome> try_git(Loop& loop, GitCommand command);

/// Its stdout; an Error with git's own last words when it fails.
Op<std::string> run_git(Loop& loop, GitCommand command);

/// The same for a command that talks to a remote: tried again while the network fails or the remote hangs (retry.h),
/// for `most_s` at most. An attempt that takes longer than its timeout_s, or two hours, hangs.
Op<std::string> run_git_remotely(Loop& loop, GitCommand command, double most_s = 1e9);

}  // namespace reg::git
