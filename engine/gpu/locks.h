#pragma once

#include <functional>
#include <vector>

#include "engine/gpu/lock.h"

namespace reg::gpu {

/// The locked clocks of several GPUs: all of them or none. Each is restored as ClockLock says.
class ClockLocks {
 public:
  ClockLocks() = default;  ///< holds none

  /// Throws as plan_clocks and ClockLock do; the hint of a permission error has the commands for all of `devices`.
  ClockLocks(const std::vector<Device>& devices, const std::optional<ClockRequest>& sm,
             const std::optional<ClockRequest>& memory, restore::Ledger& ledger);

  /// The same, in the process that Elsewhere leads to if there is one. `ledger` is called only if not.
  static ClockLocks here_or_elsewhere(const std::vector<Device>& devices, const std::optional<ClockRequest>& sm,
                                      const std::optional<ClockRequest>& memory,
                                      const std::function<restore::Ledger&()>& ledger);

  /// In the order of the devices; empty once unlocked.
  const std::vector<ClockLock>& each() const { return locks_; }

  /// Restores every GPU. Returns why, for each one that could not be restored now; the guardian retries those.
  std::vector<std::string> unlock();

 private:
  std::vector<ClockLock> locks_;
  std::function<std::vector<std::string>()> restore_elsewhere_;
};

/// The index of the result that is worst: not held, else unknown, else held. `all` is not empty.
std::size_t worst_of(const std::vector<Verified>& all);

}  // namespace reg::gpu
