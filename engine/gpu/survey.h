#pragma once

#include <vector>

#include "engine/gpu/device.h"
#include "engine/machine/finding.h"

namespace reg::gpu {

/// What of this GPU makes timings noisy: a line of what it is, and one for each thing that could be quieter. Whether
/// its clocks are locked NVML does not tell.
std::vector<Finding> survey(const Device& device);

}  // namespace reg::gpu
