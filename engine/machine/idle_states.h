#pragma once

#include <string>

#include "engine/base/file.h"
#include "engine/machine/paths.h"

namespace reg::machine {

/// Why the CPUs' idle states cannot be controlled here; "" if they can.
std::string idle_states_missing(const SystemPaths& paths);

/// Keeps the CPUs out of every idle state with a wake-up latency while the result is open. The kernel ends that itself,
/// however this process ends. Throws permission or io.
Fd hold_idle_states(const SystemPaths& paths);

/// The command for a user with the necessary rights.
constexpr const char* kHoldIdleStates = "sudo cpupower idle-set --disable-by-latency 0";

}  // namespace reg::machine
