#include "engine/gpu/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include "engine/base/text.h"
#include "engine/gpu/elsewhere.h"
#include "engine/gpu/lease.h"

namespace reg::gpu {
namespace {

using namespace nvml;

constexpr double kMost_mhz = 100'000;  // far above any GPU
constexpr int kGuardianTries = 100;    // the guardian of a killed engine takes milliseconds
constexpr auto kGuardianPause = std::chrono::milliseconds(20);

struct Asked {
  bool percent;  // of the highest one, or MHz
  double number;
};

Asked parse(const std::string& text) {
  const bool percent = text.ends_with('%');
  const auto number = whole_number<double>(trim(percent ? std::string_view(text).substr(0, text.size() - 1) : text));
  if (!number || !(*number > 0) || *number > (percent ? 100 : kMost_mhz))
    throw Error(ErrorKind::usage, "not a valid clock: '" + text + "'", "Write \"80%\" (of the highest) or 1590 (MHz).");
  return {percent, *number};
}

// The supported clock nearest to the request, which it describes. `clocks` has the highest first; it is empty if the
// driver has no list.
unsigned snap(const Device& device, const char* which, const std::string& request, const std::vector<unsigned>& clocks,
              std::optional<unsigned> highest, std::vector<std::string>& descriptions) {
  if (!highest && !clocks.empty()) highest = clocks.front();
  const auto [percent, number] = parse(request);
  if (percent && !highest)
    throw Error(ErrorKind::unavailable, fmt::format("{} does not report its highest {} clock", device.title(), which),
                "Give the clock in MHz.");
  const double wanted = percent ? *highest * number / 100 : number;
  const unsigned least = clocks.empty() ? 0 : clocks.back(),
                 most = clocks.empty() ? highest.value_or(0) : clocks.front();
  if (!percent && most > 0 && (wanted > most || wanted < least))
    throw Error(ErrorKind::usage,
                fmt::format("{} does not support {} clock {} MHz", device.title(), which, std::lround(wanted)),
                least > 0 ? fmt::format("Choose a clock from {} to {} MHz.", least, most)
                          : fmt::format("Choose a clock of at most {} MHz.", most));
  auto mhz = static_cast<unsigned>(std::lround(wanted));
  if (!clocks.empty())
    mhz = *std::ranges::min_element(clocks, {}, [&](unsigned clock) { return std::abs(clock - wanted); });
  std::string description = fmt::format("{} clock {} MHz", which, mhz);
  const bool moved = std::abs(mhz - wanted) >= 0.5;
  if (percent)
    description += fmt::format(" ({:g} % of {} is {}{})", number, *highest, std::lround(wanted),
                               moved ? fmt::format("; {} is the nearest supported", mhz) : "");
  else if (moved)
    description += fmt::format(" (nearest supported to {:g})", wanted);
  descriptions.push_back(description);
  return mhz;
}

// --- locks of other engines ------------------------------------------------------------------------------------------
// Takes the lock file. Throws conflict with the pid of the engine that holds it. The result is empty if this user has
// no access to it: the driver will refuse the lock as well.
Fd take(const Device& device) {
  LockFile file = LockFile::open(device.uuid());
  for (int round = 0; file && !file.take(); ++round) {
    const pid_t pid = file.holder();
    if (pid == ::getpid())
      throw Error(ErrorKind::conflict, device.title() + ": this script already holds a lock on its clocks",
                  "Close that lock first.");
    const bool alive = pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
    if (alive || round == kGuardianTries)
      throw Error(ErrorKind::conflict,
                  fmt::format("{}: another regengine holds a lock on its clocks: pid {}", device.title(), pid),
                  fmt::format("Wait until it ends: ps -p {}", pid));
    std::this_thread::sleep_for(kGuardianPause);  // it was killed, and its guardian is restoring the clocks
  }
  return file.release();
}

// --- the driver's answers --------------------------------------------------------------------------------------------
[[noreturn]] void refuse(const Device& device, const ClockPlan& plan, Result result) {
  const std::string words = device.session()->words(result);
  if (result == kNoPermission)
    throw Error(ErrorKind::permission, device.title() + ": only root can lock clocks: " + words,
                kRunAsRoot + lock_command(device, plan));
  if (result == kNotSupported || result == kFunctionNotFound)
    throw Error(ErrorKind::unavailable, device.title() + " cannot lock its clocks: " + words,
                plan.memory_mhz ? "Locking SM clocks needs Volta or newer, and memory clocks Ampere or newer."
                                : "Locking SM clocks needs Volta or newer.");
  throw Error(ErrorKind::unavailable, device.title() + ": could not lock its clocks: " + words,
              kRunAsRoot + lock_command(device, plan));
}

}  // namespace

std::string ClockRequest::words() const {
  std::vector<std::string> all;
  for (const auto& [name, clock] : {std::pair{"sm ", &sm}, {"mem ", &mem}})
    if (!clock->empty() && parse(*clock).number > 0) all.push_back(name + *clock);
  return join(all, ", ");
}

ClockPlan plan_clocks(const Device& device, const ClockRequest& request) {
  if (has_amd_gpus()) throw Error(ErrorKind::unavailable, "regengine does not lock the clocks of AMD GPUs");
  ClockPlan plan;
  std::vector<std::string> descriptions;
  const std::vector<unsigned> memory_clocks = device.memory_clocks();
  if (!request.mem.empty())
    plan.memory_mhz = snap(device, "memory", request.mem, memory_clocks, device.max_clock(kMemory), descriptions);
  if (!request.sm.empty()) {
    const unsigned mem_mhz = plan.memory_mhz ? *plan.memory_mhz : memory_clocks.empty() ? 0 : memory_clocks.front();
    plan.sm_mhz = snap(device, "SM", request.sm, device.sm_clocks(mem_mhz), device.max_clock(kSm), descriptions);
  }
  plan.description = join(descriptions, ", ");
  return plan;
}

std::string lock_command(const Device& device, const ClockPlan& plan) {
  std::vector<std::string> commands;
  if (plan.sm_mhz)
    commands.push_back(fmt::format("nvidia-smi --lock-gpu-clocks={0},{0} -i {1}", *plan.sm_mhz, device.uuid()));
  if (plan.memory_mhz)
    commands.push_back(fmt::format("nvidia-smi --lock-memory-clocks={0},{0} -i {1}", *plan.memory_mhz, device.uuid()));
  return join(commands, " && ");
}

// It opens a session of its own: the guardian, another process, calls it too.
restore::Undo reset_clocks(const restore::Entry& entry) {
  const Device device = Device::find(Nvml::open(), entry.target);
  return [device, sm = entry.kind == kSmClocks] {
    const Result result = sm ? device.reset_sm() : device.reset_memory();
    if (result != kSuccess)
      throw Error(ErrorKind::unavailable,
                  device.title() + ": could not restore its clocks: " + device.session()->words(result),
                  fmt::format("Run as root: nvidia-smi --reset-{}-clocks -i {}", sm ? "gpu" : "memory", device.uuid()));
  };
}

ClockLocks::ClockLocks(const std::vector<Device>& devices, const ClockRequest& request,
                       const std::function<restore::Ledger&()>& ledger) {
  if (elsewhere()) {
    auto [plans, restore] = elsewhere()->lock(uuids_of(devices), request);
    restore_elsewhere_ = std::move(restore);
    for (std::size_t i = 0; i < devices.size(); ++i) locks_.push_back({devices[i], plans.at(i)});
    return;
  }
  // All plans first: a request that one GPU cannot meet changes none.
  for (const Device& device : devices) locks_.push_back({device, plan_clocks(device, request)});
  try {
    for (const ClockLock& one : locks_) lock(one, ledger());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::permission || devices.size() == 1) throw;
    std::vector<std::string> commands;
    for (const ClockLock& one : locks_) commands.push_back(lock_command(one.device, one.plan));
    throw Error(error.kind(), error.what(), kRunAsRoot + join(commands, " && "));
  }
}

void ClockLocks::lock(const ClockLock& one, restore::Ledger& ledger) {
  const Device& device = one.device;
  const ClockPlan& plan = one.plan;
  const auto set = [&](const char* kind, Fd held, Result (Device::*lock_at)(unsigned) const, unsigned mhz) {
    restore::Change change = ledger.announce({kind, device.uuid(), ""}, std::move(held));
    const Result result = (device.*lock_at)(mhz);
    if (result != kSuccess) {
      change.forget();
      refuse(device, plan, result);
    }
    changes_.push_back(std::move(change));
  };
  Fd held = take(device);
  Fd held_too(held ? ::fcntl(held.get(), F_DUPFD_CLOEXEC, 0) : -1);
  if (plan.memory_mhz) set(kMemoryClocks, std::move(held_too), &Device::lock_memory, *plan.memory_mhz);
  if (plan.sm_mhz) set(kSmClocks, std::move(held), &Device::lock_sm, *plan.sm_mhz);
}

std::vector<std::string> ClockLocks::unlock() {
  std::vector<std::string> failures;
  if (auto restore = std::exchange(restore_elsewhere_, nullptr); restore) failures = restore();
  for (; !changes_.empty(); changes_.pop_back()) {
    try {
      changes_.back().undo();
    } catch (const Error& error) {
      failures.emplace_back(error.what());
    }
  }
  locks_.clear();
  return failures;
}

}  // namespace reg::gpu
