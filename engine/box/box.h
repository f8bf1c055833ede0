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
/// around it. It does not hold back utime, UDP and sockets that have a path.
/// A program may call chmod, but makes no file that runs as its owner (S_ISUID), and no new one with its group
/// (S_ISGID): in a folder that others can enter it would make them its owner, whoever starts it.
class Landlock {
 public:
  /// Throws unavailable where landlock_version() is 0, or of a program where the machine has no seccomp.
  explicit Landlock(const Reach& reach, bool of_program = true);

  /// False, with errno, on failure. Only calls that are safe between fork and exec.
  bool enter() const noexcept;

 private:
  void permit(const std::string& path, std::uint64_t rights) const;

  Fd rules_;
  const std::string* filter_ = nullptr;
};

/// What every program needs of the machine: programs and libraries, /sys, /proc (of processes outside its box the
/// kernel hides what is secret), and of /etc what every user may read; the harmless devices, the GPUs and shared
/// memory. Not the terminals in /dev/pts: who has them reads what their user types. The same for the whole run.
const Reach& reach_of_programs();

/// The devices of GPUs that are there, as far as their drivers name them.
std::vector<std::string> gpu_devices();

/// What enter_filter() takes: the process that starts `pid` makes it meanwhile, since it takes a millisecond. Throws
/// unavailable where the machine has no seccomp.
std::string filter_of(pid_t pid);

/// Takes from this process, for good, the system calls that Landlock does not hold back: starting programs and
/// processes, sockets, leases, changing modes, owners, attributes and times of files, signals to and traces of other
/// processes, mounts, namespaces, the machine's settings, the terminal's settings and typing on it (TIOCSTI), and all
/// that are newer than Linux 5.0 but for a few. As root it also gives up every capability but that of reading and
/// writing files of others. Call it before any thread exists. Throws unavailable where the kernel has no seccomp.
void enter_filter(const std::string& filter);

/// The instructions that hold a program to this: no files with S_ISUID, and no new ones with S_ISGID. The same for the
/// whole run. Throws unavailable where the machine has no seccomp.
const std::string& filter_against_set_id();

/// A filter's instructions for this process. `flags`: of seccomp(2). False, with errno, on failure. Needs no_new_privs.
/// Safe between fork and exec.
bool enter_instructions(const std::string& instructions, unsigned flags = 0) noexcept;

}  // namespace reg::box
