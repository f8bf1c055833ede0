#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/device.h"
#include "engine/machine/paths.h"

namespace reg::gpu {

/// What breaks on GPUs from the construction to look(): memory errors, Xids, errors of NVLink, a request of the
/// driver to repair it; another power limit; and lanes of the PCIe link that an earlier one of this engine has seen.
/// What a driver does not report does not count, nor do old faults.
class Faults {
 public:
  explicit Faults(const std::vector<Device>& devices);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  /// In words, by UUID.
  std::map<std::string, std::vector<std::string>> look();

 private:
  std::vector<Device> devices_;
  std::vector<Health> before_;
  nvml::EventSet xids_ = nullptr;
};

/// In words, if the generation of the PCIe link while the GPU worked is lower than earlier in this engine; else "".
std::string slower_link(const Device& device, std::optional<unsigned> generation);

/// One finding that describes this GPU, and one for each setting that makes timings noisy. NVML does not report whether
/// the clocks are locked.
std::vector<machine::Finding> survey(const Device& device);

/// DCGM, where it runs: whether it watches profiling metrics only its clients know.
std::vector<machine::Finding> other_watchers(const machine::SystemPaths& paths);

/// A clock that this model holds under a heavy load, as ClockRequest has it. Dense products need all the power
/// of an H200 at 68 % of its highest clock.
const char* suggested_clock(const Device& device);

}  // namespace reg::gpu
