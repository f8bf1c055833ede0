#pragma once

#include <cstdint>

namespace reg::container {

/// How many processes the kernel has killed for want of memory in the control group of process `pid`; 0 where that
/// cannot be read (a container on another host).
std::int64_t oom_kills(int pid);

/// The same for the whole machine, since it was started.
std::int64_t oom_kills_of_machine();

}  // namespace reg::container
