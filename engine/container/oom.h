#pragma once

#include <cstdint>

namespace reg::container {

/// How many processes in the control group of process `pid` the kernel's OOM killer has killed; 0 if that cannot be
/// read (a container on another host).
std::int64_t oom_kills(int pid);

}  // namespace reg::container
