#include "engine/gpu/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::gpu {
namespace {

using namespace nvml;

constexpr double kHeldWithin = 0.02;
constexpr int kGuardianTries = 100;  // of a dead engine: it gives the clocks back in milliseconds
constexpr auto kGuardianPause = std::chrono::milliseconds(20);

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
    return std::nullopt;
  return value;
}

struct Snapped {
  unsigned mhz;
  std::string said;
};

// The supported clock nearest to the wish. `clocks` is highest first; an empty list means that the GPU does not say.
Snapped snap(const Device& device, const char* which, const ClockWish& wish, const std::vector<unsigned>& clocks,
             std::optional<unsigned> highest) {
  if (!highest && !clocks.empty()) highest = clocks.front();
  if (wish.kind == ClockWish::Kind::percent && !highest)
    throw Error(ErrorKind::unavailable, fmt::format("{} does not tell its highest {} clock", device.title(), which),
                "give the clock in MHz");
  const bool share = wish.kind == ClockWish::Kind::percent;
  const double wanted = share ? *highest * wish.number / 100 : wish.number;
  if (!share && !clocks.empty() && (wanted > clocks.front() || wanted < clocks.back()))
    throw Error(ErrorKind::usage,
                fmt::format("{} cannot have {} clock of {} MHz", device.title(), which, std::lround(wanted)),
                fmt::format("it supports {} to {} MHz", clocks.back(), clocks.front()));
  auto mhz = static_cast<unsigned>(std::lround(wanted));
  if (!clocks.empty())
    mhz = *std::min_element(clocks.begin(), clocks.end(),
                            [&](unsigned a, unsigned b) { return std::abs(a - wanted) < std::abs(b - wanted); });
  std::string said = fmt::format("{} clock {} MHz", which, mhz);
  const bool moved = std::abs(mhz - wanted) >= 0.5;
  if (share)
    said += fmt::format(" ({:g} % of {} is {}{})", wish.number, *highest, std::lround(wanted),
                        moved ? fmt::format("; {} is the nearest supported", mhz) : "");
  else if (moved)
    said += fmt::format(" (the nearest supported to {:g})", wanted);
  return {mhz, said};
}

// --- others ----------------------------------------------------------------------------------------------------------
// One name for the whole machine, whoever asks.
std::string lock_path(const std::string& uuid) {
  const char* folder = std::filesystem::is_directory("/run/lock") ? "/run/lock" : "/tmp";
  return fmt::format("{}/regengine-{}.lock", folder, uuid);
}

// In a folder that all may write, the kernel lets nobody but the owner open a file with O_CREAT that is there. Nothing
// where this user may not: the driver will not let it lock either.
Fd open_lock(const std::string& path) {
  Fd there(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (there) return there;
  Fd made(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (made) static_cast<void>(::fchmod(made.get(), 0666));  // whatever the umask
  return made;
}

// Held by this engine from now on. Throws conflict naming the one that holds it.
Fd take(const Device& device) {
  const std::string path = lock_path(device.uuid());
  Fd file = open_lock(path);
  if (!file) return file;
  for (int round = 0; ::flock(file.get(), LOCK_EX | LOCK_NB) != 0; ++round) {
    const std::string holder(trim(read_file_if_there(path).value_or("")));
    const auto pid = static_cast<pid_t>(number_in(holder).value_or(0));
    if (pid == ::getpid())
      throw Error(ErrorKind::conflict, device.title() + ": this script has locked its clocks already",
                  "close that lock first");
    const bool lives = pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM);
    if (lives || round == kGuardianTries)
      throw Error(ErrorKind::conflict,
                  fmt::format("{}: another engine has locked its clocks, pid {}", device.title(), holder),
                  "wait until it has ended: ps -p " + holder);
    std::this_thread::sleep_for(kGuardianPause);  // it was killed, and its guardian is at it
  }
  const std::string own = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file.get(), 0) != 0) throw system_error(path, errno);
  write_all(file.get(), own, path);
  return file;
}

// --- root's part -----------------------------------------------------------------------------------------------------
[[noreturn]] void refuse(const Device& device, const ClockPlan& plan, Result result) {
  const std::string words = device.session()->words(result);
  if (result == kNoPermission)
    throw Error(ErrorKind::permission, device.title() + ": only root may lock clocks: " + words,
                "as root on the host: " + lock_command(device, plan));
  if (result == kNotSupported || result == kFunctionNotFound)
    throw Error(
        ErrorKind::unavailable, device.title() + " cannot lock its clocks: " + words,
        plan.memory_mhz ? "SM clocks: Volta and newer; memory clocks: Ampere and newer" : "Volta and newer can");
  throw Error(ErrorKind::unavailable, device.title() + ": its clocks were not locked: " + words,
              "as root on the host: " + lock_command(device, plan));
}

// The session and the handle belong to the process that undoes.
restore::Undo reset(const restore::Entry& entry, Result (Device::*function)() const) {
  const Device device = Device::find(Nvml::open(), entry.target);
  return [device, function] {
    const Result result = (device.*function)();
    if (result != kSuccess)
      throw Error(ErrorKind::unavailable,
                  device.title() + ": its clocks were not reset: " + device.session()->words(result),
                  fmt::format("as root: nvidia-smi --reset-gpu-clocks -i {}", device.uuid()));
  };
}

}  // namespace

ClockWish parse_clock_wish(const std::string& text) {
  if (text == "base") return {ClockWish::Kind::base, 0};
  const bool share = text.ends_with('%');
  const auto number = number_in(trim(share ? std::string_view(text).substr(0, text.size() - 1) : text));
  if (!number || (share && *number > 100))
    throw Error(ErrorKind::usage, "no clock: '" + text + "'", "\"80%\" of the highest, 1590 (MHz) or \"base\"");
  return {share ? ClockWish::Kind::percent : ClockWish::Kind::mhz, *number};
}

ClockPlan plan_clocks(const Device& device, const std::optional<ClockWish>& sm,
                      const std::optional<ClockWish>& memory) {
  ClockPlan plan;
  std::vector<std::string> said;
  const std::vector<unsigned> memory_clocks = device.memory_clocks();
  if (memory) {
    const Snapped snapped = snap(device, "memory", *memory, memory_clocks, device.max_clock(kMemory));
    plan.memory_mhz = snapped.mhz;
    said.push_back(snapped.said);
  }
  if (sm && sm->kind == ClockWish::Kind::base) {
    plan.base = true;
    plan.sm_mhz = device.base_clock();
    said.push_back("SM clock at its base" + (plan.sm_mhz ? fmt::format(", {} MHz", *plan.sm_mhz) : ""));
  } else if (sm) {
    const unsigned beside = plan.memory_mhz ? *plan.memory_mhz : memory_clocks.empty() ? 0 : memory_clocks.front();
    const Snapped snapped = snap(device, "SM", *sm, device.sm_clocks(beside), device.max_clock(kSm));
    plan.sm_mhz = snapped.mhz;
    said.push_back(snapped.said);
  }
  plan.said = join(said, ", ");
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

ClockLock::ClockLock(Device device, ClockPlan plan, restore::Ledger& ledger)
    : device_(std::move(device)), plan_(std::move(plan)) {
  const auto lock = [&](restore::Change& change, const char* kind, Fd held, auto set) {
    change = ledger.announce({kind, device_.uuid(), ""}, std::move(held));
    const Result result = set();
    if (result == kSuccess) return;
    change.forget();
    refuse(device_, plan_, result);
  };
  Fd held = take(device_);
  Fd held_too(held ? ::fcntl(held.get(), F_DUPFD_CLOEXEC, 0) : -1);
  if (plan_.memory_mhz)
    lock(memory_, kMemoryClocks, std::move(held_too), [&] { return device_.lock_memory(*plan_.memory_mhz); });
  if (plan_.base || plan_.sm_mhz) {
    const unsigned value = plan_.base ? kClockLimitTdp : *plan_.sm_mhz;
    lock(sm_, kSmClocks, std::move(held), [&] { return device_.lock_sm(value, value); });
  }
}

Verified ClockLock::verify() const {
  Verified result;
  result.sm_mhz = device_.clock(kSm);
  const auto reasons = device_.event_reasons();
  if (reasons) result.reasons = reason_words(*reasons);
  const bool idle = reasons && (*reasons & kIdle) != 0;
  if (idle || !result.sm_mhz) return result;
  const bool on_it = !plan_.sm_mhz || std::abs(*result.sm_mhz / static_cast<double>(*plan_.sm_mhz) - 1) <= kHeldWithin;
  result.held = on_it && (reasons.value_or(0) & kBadReasons) == 0;
  return result;
}

void ClockLock::unlock() {
  sm_.undo();
  memory_.undo();
}

restore::Undo reset_sm_clocks(const restore::Entry& entry) { return reset(entry, &Device::reset_sm); }

restore::Undo reset_memory_clocks(const restore::Entry& entry) { return reset(entry, &Device::reset_memory); }

}  // namespace reg::gpu
