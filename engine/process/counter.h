#pragma once

#include <cstdint>
#include <optional>

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

}  // namespace reg::process
