#pragma once

#include <cstdint>

namespace reg::container {

/// How many processes the kernel has killed for want of memory in the control group of process `pid`; 0 where that
/// cannot be read (a container on another host).
std::int64_t oom_kills(int pid);

}  // namespace reg::container
