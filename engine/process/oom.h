#pragma once

#include <cstdint>
#include <string>

namespace reg::process {

/// The number in the line "oom_kill N" of a file as /proc/vmstat and a control group's memory.events are; 0 where there
/// is none.
std::int64_t oom_kills_in(const std::string& path);

/// How many processes the kernel has killed for want of memory on this machine since it was started.
std::int64_t oom_kills_of_machine();

}  // namespace reg::process
