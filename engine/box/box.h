#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/file.h"

namespace reg::box {

/// The version of Landlock's interface that this kernel offers; 0 where it has none. Version 2 adds renames across
/// folders, 3 truncate, 5 ioctl of devices, 6 signals and abstract sockets (Linux: userspace-api/landlock.rst).
int landlock_version();

/// What a boxed process may reach of the file system; the kernel refuses all else. A path may be a file or a folder,
/// with all below it; one that is missing is left out.
struct Reach {
  std::vector<std::string> read;     ///< to read and to execute
  std::vector<std::string> write;    ///< also to change, create and remove
  std::vector<std::string> devices;  ///< to read, write and control
};

/// A limit that a process puts on itself and everything it starts, and that nothing takes off again. Besides files it
/// holds back signals to others and abstract sockets where the kernel can, and the capabilities by which root would get
/// around it. It does not hold back chmod, utime, UDP and sockets that have a path.
class Landlock {
 public:
  /// Throws unavailable where landlock_version() is 0.
  explicit Landlock(const Reach& reach);

  /// False, with errno, on failure. Only calls that are safe between fork and exec.
  bool enter() const noexcept;

 private:
  void permit(const std::string& path, std::uint64_t rights) const;

  Fd rules_;
};

/// What every program needs of the machine: programs and libraries, /sys, /proc (of processes outside its box the
/// kernel hides what is secret), and of /etc what every user may read; the harmless devices, the GPUs and shared
/// memory. Not the terminals in /dev/pts: who has them reads what their user types. The same for the whole run.
const Reach& reach_of_programs();

/// The devices of GPUs that are there, as far as their drivers name them.
std::vector<std::string> gpu_devices();

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
