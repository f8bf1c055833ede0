#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/guard/question.h"
#include "engine/process/command.h"

namespace reg::process {

/// How this machine runs the programs of untrusted scripts.
SandboxSupport sandbox_support();

/// Makes the sandbox of a command that has bounds (Policy::bounds): Landlock, a temporary folder of its own, a home in
/// the workspace, and an environment without secrets and without the addresses of agents and buses. run() does so.
void put_into_sandbox(Command& command);

/// Folders that a command, and what it starts, sees at other paths: mounts in a namespace of its own, which ends with
/// its last process. Without the right to mount, that namespace is one of users, too, in which the command keeps its
/// user and group.
class Mounts {
 public:
  /// `folders`: by the path at which the command sees them.
  explicit Mounts(const std::map<std::string, std::string>& folders);

  /// In the child, between fork and exec: it makes system calls only. False if the system refuses; errno says why.
  bool enter() const;

 private:
  bool enter_user_namespace() const;

  std::vector<std::pair<std::string, std::string>> folders_;
  std::string users_;   // for /proc/self/uid_map
  std::string groups_;  // for /proc/self/gid_map
};

}  // namespace reg::process
