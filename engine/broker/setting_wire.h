#pragma once

#include <vector>

#include "engine/broker/wire.h"
#include "engine/gpu/lock.h"
#include "engine/gpu/monitor.h"
#include "engine/machine/tuning.h"

namespace reg::broker {

/// "80%", "1590"; "" for none.
std::string as_text(const std::optional<gpu::ClockRequest>& request);
/// Throws usage.
std::optional<gpu::ClockRequest> clock_from(const Json& json);

Json as_json(const gpu::ClockPlan& plan);
gpu::ClockPlan plan_from(const Json& json);

Json as_json(const gpu::Summary& summary);
gpu::Summary summary_from(const Json& json);

/// All but the variables, which each command brings itself.
Json as_json(const machine::Wanted& wanted);
/// Throws usage for what the bindings refuse, too.
machine::Wanted wanted_from(const Json& json);

Json as_json(const machine::Measure& measure);
machine::Measure measure_from(const Json& json);

Json as_json(const machine::ForCommands& given);
machine::ForCommands given_from(const Json& json);

}  // namespace reg::broker
