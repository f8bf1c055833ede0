#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/gpu/device.h"

namespace reg::gpu {

/// What breaks on GPUs from the construction to look(): memory errors, Xids, lanes of the PCIe link. What a driver does
/// not report does not count, nor do old faults.
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

}  // namespace reg::gpu
