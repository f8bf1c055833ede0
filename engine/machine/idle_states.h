#pragma once

#include <string>

#include "engine/base/file.h"
#include "engine/machine/paths.h"

namespace reg::machine {

/// Why the processors' idle states cannot be steered here; "" where they can.
std::string idle_states_missing(const SystemPaths& machine);

/// Keeps the processors out of every idle state that takes time to wake up from, for as long as the result is open. The
/// kernel itself lets go of it, in whatever way this process ends. Throws permission or io.
Fd hold_idle_states(const SystemPaths& machine);

/// What somebody who may would type instead.
constexpr const char* kHoldIdleStates = "sudo cpupower idle-set --disable-by-latency 0";

}  // namespace reg::machine
