#pragma once

#include <sys/types.h>

#include <string>

namespace reg::box {

/// What the kernel is to refuse to the process `pid`. It takes a millisecond to make, so the process that starts `pid`
/// makes it meanwhile. Throws unavailable where the machine has no seccomp.
std::string filter_of(pid_t pid);

/// Takes from this process, for good, the system calls that Landlock does not hold back: starting programs and
/// processes, sockets, leases, changing modes, owners, attributes and times of files, signals to and traces of other
/// processes, mounts, namespaces, the machine's settings, the terminal's settings and typing on it (TIOCSTI), and all
/// that are newer than Linux 5.0 but for a few. As root it also gives up every capability but that of reading and
/// writing files of others. Call it before any thread exists. Throws unavailable where the kernel has no seccomp.
void enter_filter(const std::string& filter);

/// The limit for a process that may call chmod otherwise, against files that run as their owner (setuid) or with their
/// group (setgid), whoever starts them: Landlock does not hold chmod, and such a file in a folder that others can enter
/// makes them its owner. It sets no S_ISUID, but S_ISGID. It holds for all that the process starts, and nothing takes
/// it off.
class NoSetId {
 public:
  /// Throws unavailable where the machine has no seccomp.
  NoSetId();

  /// False, with errno, on failure. Needs no_new_privs. Only calls that are safe between fork and exec.
  bool enter() const noexcept;

 private:
  std::string instructions_;
};

}  // namespace reg::box
