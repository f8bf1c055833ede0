#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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

/// A counter of one process in user mode, from its exec on, and of all that it starts. The process opens it itself,
/// between fork and exec, and hands it over: one that the engine opened would count its later commands as well.
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

/// In a control group of version 2, by its folder, or in this process's groups for "".
OomKills oom_kills(const std::string& group);

using Clock = std::chrono::steady_clock;

/// When a process ends, noted on a thread of its own: the loop's may be busy at that moment. Until then it is the
/// clock's first moment.
using ExitTime = std::atomic<Clock::time_point>;
std::shared_ptr<const ExitTime> exit_time(Fd pidfd);

}  // namespace reg::process
