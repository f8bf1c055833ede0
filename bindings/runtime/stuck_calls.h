#pragma once

#include <cstdint>

namespace reg::lua {

/// From now on a single call into C that exceeds the limit of instructions ends this process with SIGVTALRM. Nothing
/// checks the limit during the call.
void end_stuck_calls();

/// Before a script goes on: it may compute for so long, in the CPU time of this thread, before the next check.
void expect_check_within(std::int64_t microseconds);

}  // namespace reg::lua
