#pragma once

#include <vector>

#include "engine/broker/wire.h"
#include "engine/gpu/lock.h"
#include "engine/gpu/monitor.h"
#include "engine/machine/tuning.h"

namespace reg::gpu {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClockPlan, sm_mhz, memory_mhz, description)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Process, pid, name, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spread, min, median, max)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Summary, seconds, samples, sm_mhz, temperature_c, power_w, busy_sm_mhz,
                                   memory_peak_bytes, own_peak_bytes, throttle_s, some_counted, some_sampled, throttled,
                                   used, foreign, faults, lost)
}  // namespace reg::gpu

namespace reg::machine {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measure, measure, wanted, state, was, now, why, command)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ForCommands, cpus, group, group_cpus, nice, fixed_addresses)
}  // namespace reg::machine

namespace reg::broker {

/// "80%", "1590"; "" for none.
std::string as_text(const std::optional<gpu::ClockRequest>& request);
/// Throws usage.
std::optional<gpu::ClockRequest> clock_from(const Json& json);

/// All but the variables, which each command brings itself.
Json as_json(const machine::Wanted& wanted);
/// Throws usage for what the bindings refuse, too.
machine::Wanted wanted_from(const Json& json);

}  // namespace reg::broker
