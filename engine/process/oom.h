#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace reg::process {

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

}  // namespace reg::process
