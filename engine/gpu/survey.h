#pragma once

#include <vector>

#include "engine/gpu/device.h"
#include "engine/machine/finding.h"

namespace reg::gpu {

/// One finding that describes this GPU, and one for each setting that makes timings noisy. NVML does not report whether
/// the clocks are locked.
std::vector<Finding> survey(const Device& device);

/// A clock that this model holds under a heavy load, as parse_clock_request takes it. Dense products need all the power
/// of an H200 at 68 % of its highest clock.
const char* suggested_clock(const Device& device);

}  // namespace reg::gpu
