#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/device.h"
#include "engine/restore/ledger.h"

namespace reg::gpu {

/// The requested clocks: "80%" of the highest one, or "1590" MHz; "" for none.
struct ClockRequest {
  std::string sm, mem;

  /// "sm 80%, mem 1590". Throws usage for a clock that is not valid.
  std::string words() const;
};

/// The clocks at which one GPU is to be locked.
struct ClockPlan {
  std::optional<unsigned> sm_mhz;
  std::optional<unsigned> memory_mhz;
  std::string description;  ///< "SM clock 1590 MHz (80 % of 1980 is 1584; 1590 is the nearest supported)"
};

/// Picks the nearest supported clocks. Throws usage for a frequency outside the supported range.
ClockPlan plan_clocks(const Device& device, const ClockRequest& request);

/// The nvidia-smi command that does the same.
constexpr const char* kRunAsRoot = "Run as root on the host: ";  ///< the hint before such a command
std::string lock_command(const Device& device, const ClockPlan& plan);

/// The kinds of ledger entries made here, and how both are undone.
constexpr const char* kSmClocks = "gpu_clocks";
constexpr const char* kMemoryClocks = "gpu_memory_clocks";
restore::Undo reset_clocks(const restore::Entry& entry);

/// One GPU and its clocks while they are locked.
struct ClockLock {
  Device device;
  ClockPlan plan;
};

/// The clocks of several GPUs, all of them or none, locked for the lifetime of this object, and restored by
/// restore::Ledger whatever happens to the process. It keeps an NVML session open: without persistence mode the driver
/// drops a lock with its last client. A lock set with nvidia-smi is overwritten and not restored: NVML does not report
/// it.
class ClockLocks {
 public:
  ClockLocks() = default;  ///< holds none

  /// Throws as plan_clocks does, conflict if another engine holds the lock of a GPU, permission if the driver refuses,
  /// with a hint that has the commands for all of `devices`, and unavailable if a GPU or driver cannot lock clocks. The
  /// process that Elsewhere leads to does it if there is one; `ledger` is called only if not.
  ClockLocks(const std::vector<Device>& devices, const ClockRequest& request,
             const std::function<restore::Ledger&()>& ledger);

  /// In the order of the devices; empty once unlocked.
  const std::vector<ClockLock>& each() const { return locks_; }

  /// Restores every GPU. Returns why, for each one that could not be restored now; the guardian retries those.
  std::vector<std::string> unlock();

 private:
  void lock(const ClockLock& one, restore::Ledger& ledger);

  std::vector<ClockLock> locks_;
  std::vector<restore::Change> changes_;  // none where another process made them (elsewhere.h)
  std::function<std::vector<std::string>()> restore_elsewhere_;
};

}  // namespace reg::gpu
