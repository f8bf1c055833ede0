#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/device.h"
#include "engine/restore/ledger.h"

namespace reg::gpu {

/// A clock as somebody asks for it: a share of the highest, a frequency, or the base clock.
struct ClockWish {
  enum class Kind { percent, mhz, base };
  Kind kind = Kind::mhz;
  double number = 0;  ///< of percent and mhz
};

/// "80%", "1590", "base". Throws usage for anything else, and for a share that is none.
ClockWish parse_clock_wish(const std::string& text);

/// A wish held against what one GPU supports.
struct ClockPlan {
  std::optional<unsigned> sm_mhz;  ///< what it will run at; for the base clock unknown where the driver does not tell
  bool base = false;
  std::optional<unsigned> memory_mhz;
  std::string said;  ///< for people: "SM clock 1590 MHz (80 % of 1980 is 1584; 1590 is the nearest supported)"
};

/// Throws usage for a frequency that the GPU cannot have.
ClockPlan plan_clocks(const Device& device, const std::optional<ClockWish>& sm, const std::optional<ClockWish>& memory);

/// What root would type for it.
std::string lock_command(const Device& device, const ClockPlan& plan);

/// What the SM clock does now, beside what it was locked at.
struct Verified {
  std::optional<bool> held;        ///< nothing while the GPU idles: a clock shows itself under load
  std::optional<unsigned> sm_mhz;  ///< now
  std::vector<std::string> reasons;
};

/// The clocks of one GPU, locked as long as this lives, and an NVML session kept open meanwhile: without persistence
/// mode the driver forgets a lock when its last client goes. Everything is given back by restore::Ledger, whatever
/// happens. A lock of others, by nvidia-smi, is overwritten and not brought back: NVML cannot tell it.
class ClockLock {
 public:
  /// Throws conflict where another engine has locked this GPU, permission and unavailable where this one may not or
  /// cannot.
  ClockLock(Device device, ClockPlan plan, restore::Ledger& ledger);

  const Device& device() const { return device_; }
  const ClockPlan& plan() const { return plan_; }
  Verified verify() const;

  /// Gives the clocks back. Throws when that fails; the guardian goes on trying when this process ends.
  void unlock();

 private:
  Device device_;
  ClockPlan plan_;
  restore::Change sm_, memory_;
};

/// The kinds of change that this noun makes, for the ledger.
constexpr const char* kSmClocks = "gpu_clocks";
constexpr const char* kMemoryClocks = "gpu_memory_clocks";
restore::Undo reset_sm_clocks(const restore::Entry& entry);
restore::Undo reset_memory_clocks(const restore::Entry& entry);

}  // namespace reg::gpu
