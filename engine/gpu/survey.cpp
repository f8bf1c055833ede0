#include "engine/gpu/survey.h"

#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/gpu/lock.h"
#include "engine/gpu/lock_file.h"

namespace reg::gpu {
namespace {

std::string command(const Device& device, const char* options) {
  return fmt::format("sudo nvidia-smi {} -i {}", options, device.uuid());
}

Finding state(const Device& device) {
  std::vector<std::string> words{device.name()};
  if (const auto now = device.clock(nvml::kSm), most = device.max_clock(nvml::kSm); now && most)
    words.push_back(fmt::format("SM clock {} of {} MHz", *now, *most));
  if (const auto temperature = device.temperature()) words.push_back(fmt::format("{} C", *temperature));
  if (const auto ecc = device.ecc()) words.push_back(*ecc ? "ECC on" : "ECC off");
  const auto throttled = reason_words(device.event_reasons().value_or(0) & kBadReasons);
  if (!throttled.empty()) words.push_back("throttled: " + join(throttled, ", "));
  return {device.title(), throttled.empty(), join(words, ", "), ""};
}

std::string lock_at_a_clock_it_holds(const Device& device) {
  try {
    return "sudo " +
           lock_command(device, plan_clocks(device, parse_clock_request(suggested_clock(device)), std::nullopt));
  } catch (const Error&) {
    return "";  // the driver reports no clocks
  }
}

// Whether an engine has locked them, and with which command somebody can.
Finding clocks(const Device& device, const std::string& command) {
  LockFile file = LockFile::open(device.uuid());
  const std::string what = device.title() + " clocks";
  if (file && !file.take()) return {what, true, fmt::format("locked by regengine, pid {}", file.holder()), ""};
  return {what, false, "not locked by regengine; the driver does not report other locks", command};
}

}  // namespace

const char* suggested_clock(const Device& device) {
  return contains_any(device.name(), {"H100", "H200"}) ? "65%" : "80%";
}

std::vector<Finding> survey(const Device& device) {
  const std::string title = device.title();
  std::vector<Finding> found{state(device)};
  if (const std::string lock = lock_at_a_clock_it_holds(device); !lock.empty()) found.push_back(clocks(device, lock));
  if (device.persistence() == false)
    found.push_back({title + " driver", false,
                     "persistence mode is off: the driver may drop a lock when the last program ends",
                     command(device, "--persistence-mode=1")});
  if (device.mig() == true)
    found.push_back(
        {title + " MIG", false, "on: its instances share clocks and power", command(device, "--multi-instance-gpu=0")});
  std::vector<std::string> others;
  for (const Process& process : device.processes())
    others.push_back(process.name.empty() ? fmt::to_string(process.pid)
                                          : fmt::format("{} ({})", process.pid, process.name));
  if (!others.empty()) found.push_back({title + " processes", false, "running on it now: " + join(others, ", "), ""});
  return found;
}

}  // namespace reg::gpu
