#pragma once

#include <vector>

#include "engine/gpu/device.h"
#include "engine/machine/finding.h"

namespace reg::gpu {

/// One finding that describes this GPU, and one for each setting that makes timings noisy. NVML does not report whether
/// the clocks are locked.
std::vector<Finding> survey(const Device& device);

}  // namespace reg::gpu
