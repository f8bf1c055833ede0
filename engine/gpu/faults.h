#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/device.h"

namespace reg::gpu {

/// What breaks on GPUs from the construction to look(): memory errors, Xids; and lanes of the PCIe link that an earlier
/// one of this engine has seen. What a driver does not report does not count, nor do old faults.
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

}  // namespace reg::gpu
