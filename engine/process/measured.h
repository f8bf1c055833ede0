#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/file.h"

namespace reg::process {

/// What the kernel counts of a command, as perf_event_open has it: `type` and `config`.
struct Counted {
  std::uint32_t type;
  std::uint64_t config;
};

extern const Counted kInstructions;

/// Throws Error(unavailable) where this cannot be counted: it is not permitted, or the machine has no counter.
void check_counter(const Counted& counted);

/// A counter of one process and all that it starts, in user mode. The process opens it itself, between fork and exec,
/// and hands it over: one that the engine opened would count its later commands as well.
class Counter {
 public:
  explicit Counter(const Counted& counted);

  /// In the child. False with errno if it fails. Only calls that are safe there.
  bool open() const;

  /// In the engine, once the child runs.
  void receive();

  /// nullopt if it did not count all the time, as where others use the hardware.
  std::optional<std::uint64_t> read() const;

 private:
  Counted counted_;
  Fd ours_, childs_;  // a pair of sockets
  Fd counter_;
};

/// How many processes in the control groups of process `pid` the kernel has killed for lack of memory; nullopt where
/// none counts them, or it is a process of another host.
std::optional<std::int64_t> oom_kills_beside(int pid);

/// How many processes the kernel has killed for lack of memory.
struct OomKills {
  std::int64_t count = 0;
  bool of_machine = false;  ///< no control group counts them, so they may be of any process
};

/// In the control groups of this process.
OomKills oom_kills();

/// The programs and libraries below some folders that processes map to execute, at the moment of a look.
class Loaded {
 public:
  /// `mounts`: folders by the path at which the processes see them (Command::mounts).
  explicit Loaded(const std::vector<std::string>& folders, const std::map<std::string, std::string>& mounts = {});

  bool wanted() const { return !folders_.empty(); }
  bool any() const { return !files_.empty(); }

  /// Notes what the process maps now. One that has ended, or may not be read, adds nothing.
  void look_at(pid_t pid);

  /// By the path of each file that was seen and is still there: its GNU build-id, or "sha256:..." where it has none. It
  /// reads the files, but none again that has not changed since: for a worker thread.
  std::map<std::string, std::string> ids() const;

 private:
  std::vector<std::string> folders_;  // with a slash at the end
  std::map<std::string, std::string> mounts_;
  std::set<std::string> files_;
};

/// The GNU build-id that the linker put into an ELF file, in hex; "" for any other file.
std::string build_id_of(const std::string& path);

using Clock = std::chrono::steady_clock;

/// When a process ends, noted on a thread of its own: the loop's may be busy at that moment. Until then it is the
/// clock's first moment.
using ExitTime = std::atomic<Clock::time_point>;
std::shared_ptr<const ExitTime> exit_time(Fd pidfd);

}  // namespace reg::process
