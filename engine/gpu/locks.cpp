#include "engine/gpu/locks.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/gpu/elsewhere.h"

namespace reg::gpu {

ClockLocks::ClockLocks(const std::vector<Device>& devices, const std::optional<ClockRequest>& sm,
                       const std::optional<ClockRequest>& memory, restore::Ledger& ledger) {
  std::vector<ClockPlan> plans;  // all of them first: a request that one GPU cannot meet changes none
  for (const Device& device : devices) plans.push_back(plan_clocks(device, sm, memory));
  try {
    for (std::size_t i = 0; i < devices.size(); ++i) locks_.emplace_back(devices[i], plans[i], ledger);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::permission || devices.size() == 1) throw;
    std::vector<std::string> commands;
    for (std::size_t i = 0; i < devices.size(); ++i) commands.push_back(lock_command(devices[i], plans[i]));
    throw Error(error.kind(), error.what(), kRunAsRoot + join(commands, " && "));
  }
}

ClockLocks ClockLocks::here_or_elsewhere(const std::vector<Device>& devices, const std::optional<ClockRequest>& sm,
                                         const std::optional<ClockRequest>& memory,
                                         const std::function<restore::Ledger&()>& ledger) {
  if (!elsewhere()) return {devices, sm, memory, ledger()};
  auto [plans, restore] = elsewhere()->lock(uuids_of(devices), sm, memory);
  ClockLocks locks;
  locks.restore_elsewhere_ = std::move(restore);
  for (std::size_t i = 0; i < devices.size(); ++i) locks.locks_.emplace_back(devices[i], plans.at(i));
  return locks;
}

std::vector<std::string> ClockLocks::unlock() {
  std::vector<std::string> failures;
  if (auto restore = std::exchange(restore_elsewhere_, nullptr); restore) failures = restore();
  for (ClockLock& lock : locks_) try {
      lock.unlock();
    } catch (const Error& error) {
      failures.emplace_back(error.what());
    }
  locks_.clear();
  return failures;
}

std::size_t worst_of(const std::vector<Verified>& all) {
  const auto rank = [](const Verified& verified) { return verified.held ? (*verified.held ? 2 : 0) : 1; };
  const auto worse = [&](const Verified& a, const Verified& b) { return rank(a) < rank(b); };
  return static_cast<std::size_t>(std::min_element(all.begin(), all.end(), worse) - all.begin());
}

}  // namespace reg::gpu
