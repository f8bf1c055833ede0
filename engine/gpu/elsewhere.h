#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/lease.h"
#include "engine/gpu/lock.h"
#include "engine/gpu/monitor.h"

namespace reg::gpu {

/// Who locks, leases and watches the GPUs for a process that may not: a boxed engine can change no clocks, opens no
/// lock files, and does not see which processes belong to its commands. GPUs are named by their UUIDs.
struct Elsewhere {
  struct Locked {
    std::vector<ClockPlan> plans;                       ///< one for each GPU
    std::function<std::vector<std::string>()> restore;  ///< returns the failures
  };
  struct Leased {
    std::vector<std::string> uuids;
    double waited_s = 0;
    std::shared_ptr<void> held;  ///< the lease ends with it
  };
  using Uuids = std::vector<std::string>;

  std::function<Locked(const Uuids&, const ClockRequest& request)> lock;
  std::function<Op<Leased>(const Uuids&, std::size_t count, std::optional<double> patience_s)> lease;
  std::function<StopMonitor(const Uuids&, double period_s)> monitor;
};

/// Set by a boxed process for as long as it is one.
inline std::optional<Elsewhere>& elsewhere() {
  static std::optional<Elsewhere> in_use;
  return in_use;
}

inline std::vector<std::string> uuids_of(const std::vector<Device>& devices) {
  std::vector<std::string> uuids;
  for (const Device& device : devices) uuids.push_back(device.uuid());
  return uuids;
}

}  // namespace reg::gpu
