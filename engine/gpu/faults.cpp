#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/gpu/lease.h"
#include "engine/gpu/lock.h"
#include "engine/gpu/monitor.h"

namespace reg::gpu {
namespace {

Health health_of(const Device& device) {
  try {
    return device.health();
  } catch (const GpuLost&) {
    return {};  // the monitor says so
  }
}

template <class T>
T more(const std::optional<T>& before, const std::optional<T>& after) {
  return before && after && *after > *before ? *after - *before : T{0};
}

// The most lanes and the highest generation seen on the PCIe link of each GPU, by UUID.
struct Link {
  std::optional<unsigned> width, generation;
};

Link& best_link(const Device& device) {
  static std::map<std::string, Link> links;
  return links[device.uuid()];
}

std::string command(const Device& device, const char* options) {
  return fmt::format("sudo nvidia-smi {} -i {}", options, device.uuid());
}

machine::Finding state(const Device& device) {
  std::vector<std::string> words{device.name()};
  if (const auto now = device.clock(nvml::kSm), most = device.max_clock(nvml::kSm); now && most)
    words.push_back(fmt::format("clock {} of {} MHz", *now, *most));
  if (const auto temperature = device.temperature()) words.push_back(fmt::format("{} C", *temperature));
  if (const auto ecc = device.ecc()) words.push_back(*ecc ? "ECC on" : "ECC off");
  const auto throttled = reason_words(device.event_reasons().value_or(0) & kBadReasons);
  if (!throttled.empty()) words.push_back("throttled: " + join(throttled, ", "));
  return {device.title(), throttled.empty(), join(words, ", "), ""};
}

std::string lock_at_a_clock_it_holds(const Device& device) {
  try {
    return "sudo " + lock_command(device, plan_clocks(device, {suggested_clock(device), ""}));
  } catch (const Error&) {
    return "";  // the driver reports no clocks
  }
}

// Whether an engine has locked them, and with which command somebody can.
machine::Finding clocks(const Device& device, const std::string& command) {
  LockFile file = LockFile::open(device.uuid());
  const std::string what = device.title() + " clocks";
  if (file && !file.take()) return {what, true, fmt::format("locked by regengine, pid {}", file.holder()), ""};
  return {what, false, "not locked by regengine; the driver does not report other locks", command};
}

}  // namespace

Faults::Faults(const std::vector<Device>& devices) : devices_(devices) {
  for (const Device& device : devices_) {
    Health health = health_of(device);
    Link& best = best_link(device);
    health.pcie_width = best.width = std::max(best.width, health.pcie_width);
    before_.push_back(health);
  }
  if (devices_.empty()) return;
  const Nvml::Functions& f = devices_.front().session()->functions();
  if (f.event_set_create == nullptr || f.event_set_wait == nullptr || f.event_set_free == nullptr) return;
  if (f.event_set_create(&xids_) != nvml::kSuccess) xids_ = nullptr;
  for (const Device& device : devices_)
    if (xids_ != nullptr) device.report_xids_to(xids_);
}

Faults::~Faults() {
  if (xids_ != nullptr) devices_.front().session()->functions().event_set_free(xids_);
}

std::map<std::string, std::vector<std::string>> Faults::look() {
  std::map<std::string, std::vector<std::string>> found;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const Health& before = before_[i];
    const Health after = health_of(devices_[i]);
    std::vector<std::string>& words = found[devices_[i].uuid()];
    for (std::size_t kind = 0; kind < std::min(before.errors.size(), after.errors.size()); ++kind)
      if (const auto count = more(before.errors[kind].second, after.errors[kind].second); count > 0)
        words.push_back(fmt::format("{} new {}{}", count, after.errors[kind].first, count == 1 ? "" : "s"));
    if (before.power_limit_w && after.power_limit_w && *before.power_limit_w != *after.power_limit_w)
      words.push_back(fmt::format("power limit of {:g} W, {:g} before", *after.power_limit_w, *before.power_limit_w));
    if (!after.request.empty() && after.request != before.request)
      words.push_back("the driver asks to " + after.request);
    if (more(after.pcie_width, before.pcie_width) > 0)
      words.push_back(fmt::format("PCIe link of {} lanes, {} before", *after.pcie_width, *before.pcie_width));
  }
  nvml::EventData event{};
  constexpr int kMost = 100;  // of those that came meanwhile
  for (int i = 0; xids_ != nullptr && i < kMost; ++i) {
    if (devices_.front().session()->functions().event_set_wait(xids_, &event, 0) != nvml::kSuccess) break;
    for (const Device& device : devices_)
      if (device.is(event.device)) found[device.uuid()].push_back(fmt::format("Xid {}", event.data));
  }
  return found;
}

std::string slower_link(const Device& device, std::optional<unsigned> generation) {
  Link& best = best_link(device);
  const unsigned lost = more(generation, best.generation);
  best.generation = std::max(best.generation, generation);
  return lost > 0 ? fmt::format("PCIe link of generation {}, {} before", *generation, *best.generation) : "";
}

const char* suggested_clock(const Device& device) {
  return contains_any(device.name(), {"H100", "H200"}) ? "65%" : "80%";
}

std::vector<machine::Finding> survey(const Device& device) {
  const std::string title = device.title();
  std::vector<machine::Finding> found{state(device)};
  if (const std::string lock = lock_at_a_clock_it_holds(device); !lock.empty()) found.push_back(clocks(device, lock));
  if (device.persistence() == false)
    found.push_back({title + " driver", false,
                     "persistence mode is off: the driver may drop a lock when the last program ends",
                     command(device, "--persistence-mode=1")});
  if (device.mig() == true)
    found.push_back(
        {title + " MIG", false, "on: its instances share clocks and power", command(device, "--multi-instance-gpu=0")});
  if (const std::string request = device.health().request; !request.empty())
    found.push_back({title + " health", false, "the driver asks to " + request,
                     request == "reset the GPU" ? command(device, "--gpu-reset") : ""});
  std::vector<std::string> others;
  for (const Process& process : device.processes())
    others.push_back(process.name.empty() ? fmt::to_string(process.pid)
                                          : fmt::format("{} ({})", process.pid, process.name));
  if (!others.empty()) found.push_back({title + " processes", false, "running on it now: " + join(others, ", "), ""});
  return found;
}

std::vector<machine::Finding> other_watchers(const machine::SystemPaths& paths) {
  std::vector<std::string> found;
  for (const std::string& process : entries(paths.root + "/proc")) {
    const std::string name = machine::value_of(process + "/comm");
    if (name == "nv-hostengine" || name == "dcgm-exporter")
      found.push_back(fmt::format("{} (pid {})", name, process.substr(process.rfind('/') + 1)));
  }
  if (found.empty()) return {};
  return {{"DCGM", false,
           fmt::format("{} {}; profiling metrics that it watches (DCGM_FI_PROF_*) can disturb timings and block ncu",
                       join(found, ", "), found.size() == 1 ? "runs" : "run"),
           "dcgmi profile --pause"}};
}

}  // namespace reg::gpu
