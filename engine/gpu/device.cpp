#include "engine/gpu/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <set>

#include "engine/base/file.h"

namespace reg::gpu {
namespace {

using namespace nvml;

// By the bit of each.
constexpr std::array kWords{"idle",       "application_clocks", "sw_power_cap",   "hw_slowdown",  "sync_boost",
                            "sw_thermal", "hw_thermal",         "hw_power_brake", "display_clock"};

std::optional<double> number_of(const FieldValue& field) {
  if (field.result != kSuccess) return std::nullopt;
  switch (field.type) {
    case kDouble:
      return field.value.real;
    case kUnsigned:
      return field.value.whole;
    case kUnsignedLong:
    case kUnsignedLongLong:
      return static_cast<double>(field.value.long_whole);
    default:
      return std::nullopt;
  }
}

// nvmlDeviceGpuRecoveryAction_t, in words.
std::string request_of(unsigned action) {
  constexpr std::array<const char*, 5> kRequests{"", "reset the GPU", "reboot the machine",
                                                 "stop all traffic between GPUs", "drain and reset the GPU"};
  return action < kRequests.size() ? kRequests.at(action) : fmt::format("take recovery action {}", action);
}

// From /proc, else from the driver, which also names processes that are invisible inside this container.
std::string process_name(const Nvml& session, unsigned pid) {
  std::string own(trim(read_file_if_there(fmt::format("/proc/{}/comm", pid)).value_or("")));
  if (!own.empty() || session.functions().process_name == nullptr) return own;
  std::array<char, 256> text{};
  if (session.functions().process_name(pid, text.data(), text.size()) != kSuccess) return {};
  return text.data();
}

// The GPU of "0", and of "0:1", an instance of it as docker takes it.
std::optional<unsigned> index_in(std::string_view which) {
  const auto colon = which.find(':');
  if (colon != std::string_view::npos && !whole_number<unsigned>(which.substr(colon + 1))) return std::nullopt;
  return whole_number<unsigned>(which.substr(0, colon));
}

// What `find(name)` gives for each name of a list of GPUs, as Device::list takes it, each once by its `uuid`. The
// variable visible_devices() ends at the first name that is not found, as for CUDA and ROCm.
template <class Find, class Uuid>
auto each_named(const std::string& which, Find find, Uuid uuid) -> decltype(find(which)) {
  const char* visible = which == "visible" ? std::getenv(visible_devices()) : nullptr;
  const std::string names = visible != nullptr ? visible : which;
  decltype(find(which)) all;
  for (const auto part : split(names, ',')) {
    const std::string name(trim(part));
    if (visible != nullptr && name.empty()) break;
    try {
      for (auto& one : find(name))
        if (std::ranges::find(all, std::invoke(uuid, one), uuid) == all.end()) all.push_back(std::move(one));
    } catch (const Error& error) {
      if (visible == nullptr || error.kind() != ErrorKind::not_found) throw;
      break;
    }
  }
  return all;
}

// Asks for the size first, then for the list, highest first.
template <class Ask>
std::vector<unsigned> clock_list(Ask ask) {
  unsigned count = 0;
  if (ask(&count, nullptr) != kInsufficientSize) return {};
  std::vector<unsigned> clocks(count);
  if (ask(&count, clocks.data()) != kSuccess) return {};
  clocks.resize(std::min<std::size_t>(count, clocks.size()));
  std::sort(clocks.rbegin(), clocks.rend());
  return clocks;
}

std::optional<double> watts(const std::optional<unsigned>& milliwatts) {
  return milliwatts ? std::optional<double>(*milliwatts / 1000.0) : std::nullopt;
}

// Those that a name without commas stands for.
std::vector<Part> named(const std::shared_ptr<Nvml>& session, const std::string& name) {
  std::vector<Part> parts;
  for (const Device& device : Device::list(session, name)) {
    const std::vector<Part> own = device.parts();
    parts.insert(parts.end(), own.begin(), own.end());
  }
  const bool is_instance = name.starts_with("MIG-") || name.find(':') != std::string::npos;
  const auto is_named = [&](const Part& one) { return one.uuid == name || one.index == name; };
  const auto instance = std::find_if(parts.begin(), parts.end(), is_named);
  if (!is_instance) return parts;
  if (instance == parts.end())
    throw Error(ErrorKind::not_found, "no such GPU instance: " + name, "List them with nvidia-smi -L.");
  return {*instance};
}

}  // namespace

std::vector<std::string> reason_words(std::uint64_t reasons) {
  std::vector<std::string> words;
  for (std::size_t bit = 0; bit < kWords.size(); ++bit)
    if ((reasons >> bit & 1) != 0) words.emplace_back(kWords.at(bit));
  return words;
}

Device::Device(std::shared_ptr<Nvml> session, Handle handle) : session_(std::move(session)), handle_(handle) {
  index_ = ask<unsigned>(f().index).value_or(0);
  uuid_ = text(f().uuid, handle_);
  name_ = text(f().name, handle_);
  if (const auto pci = ask<PciInfo>(f().pci)) pci_ = pci->bus_id;
}

Device Device::find(const std::shared_ptr<Nvml>& session, const std::string& which) {
  if (const auto index = index_in(which)) return {session, session->by_index(*index)};
  return {session, session->by_uuid(which)};
}

std::vector<Device> Device::all(const std::shared_ptr<Nvml>& session) {
  static std::set<unsigned> told;
  std::vector<Device> devices;
  const unsigned count = session->count();
  for (unsigned i = 0; i < count; ++i) {
    try {
      devices.emplace_back(session, session->by_index(i));
    } catch (const Error& error) {
      if (devices.empty() && i + 1 == count) throw;
      if (told.insert(i).second) notify(fmt::format("{}; it is not used", error.what()));
    }
  }
  return devices;
}

std::vector<Device> Device::list(const std::shared_ptr<Nvml>& session, const std::string& which) {
  std::vector<Device> there = all(session);
  if (which == "all" || (which == "visible" && std::getenv(visible_devices()) == nullptr)) return there;
  const auto found = [&](const std::string& name) -> std::vector<Device> {
    const auto begins = [&](const Device& device) {
      return name.starts_with("GPU-") && device.uuid().starts_with(name);
    };
    const bool cut = std::count_if(there.begin(), there.end(), begins) == 1;
    return {cut ? *std::find_if(there.begin(), there.end(), begins) : find(session, name)};
  };
  return each_named(which, found, &Device::uuid);
}

bool Device::ok(Result result) const {
  if (result == kGpuIsLost)
    throw GpuLost(ErrorKind::unavailable, title() + " is lost: it fell off the bus",
                  "See dmesg | grep -i xid, then reset the GPU or reboot.");
  return result == kSuccess;
}

std::string Device::text(Result (*function)(Handle, char*, unsigned), Handle handle) const {
  std::array<char, 96> text{};
  return ok(function(handle, text.data(), text.size())) ? text.data() : std::string();
}

std::vector<unsigned> Device::memory_clocks() const {
  return clock_list([&](unsigned* count, unsigned* list) { return call(f().memory_clocks, count, list); });
}

std::vector<unsigned> Device::sm_clocks(unsigned memory) const {
  return clock_list([&](unsigned* count, unsigned* list) { return call(f().graphics_clocks, memory, count, list); });
}

std::vector<FieldValue> Device::fields(const std::vector<unsigned>& ids, unsigned links) const {
  std::vector<FieldValue> fields(ids.size() * links);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i].id = ids[i % ids.size()];
    fields[i].scope = static_cast<unsigned>(i / ids.size());
  }
  if (!ok(call(f().fields, static_cast<int>(fields.size()), fields.data()))) return {};
  return fields;
}

std::map<std::string, double> Device::throttle_counters() const {
  const bool counts_all = session_->driver_branch() >= kFirstCountingDriver;
  std::map<std::string, double> counters;
  const auto add = [&](const char* reason, const FieldValue& field) {
    if (const auto nanoseconds = number_of(field)) counters[reason] = *nanoseconds * 1e-9;
  };
  for (const unsigned first : {kFirstField590, kFirstField575}) {
    std::vector<unsigned> ids{kFieldSwPowerCap, kFieldThermal};
    if (counts_all) ids.insert(ids.end(), {first, first + 1, first + 2});
    const auto values = fields(ids);
    if (values.size() < 2) return counters;
    add("sw_power_cap", values[0]);
    add("thermal", values[1]);
    if (values.size() < 5) return counters;
    if (values[2].result != kSuccess || values[2].type != kUnsignedLongLong) continue;  // a power smoothing setting
    add("sw_thermal", values[2]);
    add("hw_thermal", values[3]);
    add("hw_power_brake", values[4]);
    return counters;
  }
  return counters;
}

std::optional<int> Device::temperature() const {
  Temperature value{version_word<Temperature>(1), 0, 0};
  if (ok(call(f().temperature_v, &value))) return value.celsius;
  const auto older = ask<unsigned>(f().temperature, 0U);
  return older ? std::optional<int>(static_cast<int>(*older)) : std::nullopt;
}

std::optional<double> Device::power_w() const {
  const auto now = fields({kFieldPowerNow});
  if (!now.empty() && now[0].result == kSuccess && now[0].type == kUnsigned) return watts(now[0].value.whole);
  return watts(ask<unsigned>(f().power));  // on Ampere and newer the average of a second
}

std::optional<double> Device::power_limit_w() const { return watts(ask<unsigned>(f().power_limit)); }

std::optional<MemoryUse> Device::memory() const {
  MemoryV2 newer{version_word<MemoryV2>(2), 0, 0, 0, 0};
  if (ok(call(f().memory_v2, &newer))) return MemoryUse{newer.total, newer.used, newer.free};
  const auto older = ask<nvml::Memory>(f().memory);
  return older ? std::optional<MemoryUse>(MemoryUse{older->total, older->used, older->free}) : std::nullopt;
}

std::vector<Process> Device::processes() const {
  std::map<unsigned, Process> processes;  // by pid: a client of MPS may be in the second list alone, or in both
  for (const auto list : {f().processes, f().mps_processes}) {
    std::vector<ProcessInfo> infos(16);
    auto count = static_cast<unsigned>(infos.size());
    Result result = call(list, &count, infos.data());
    while (result == kInsufficientSize) {  // leave room: more may start meanwhile
      infos.resize(count + 16);
      count = static_cast<unsigned>(infos.size());
      result = call(list, &count, infos.data());
    }
    for (unsigned i = 0; ok(result) && i < count; ++i) {
      const unsigned pid = infos[i].pid;
      Process& process = processes.try_emplace(pid, Process{pid, process_name(*session_, pid), {}}).first->second;
      if (infos[i].used_bytes != kValueNotAvailable) process.bytes = std::max(process.bytes, {infos[i].used_bytes});
    }
  }
  std::vector<Process> list;
  for (auto& [pid, process] : processes) list.push_back(std::move(process));
  return list;
}

std::optional<bool> Device::persistence() const {
  const auto mode = ask<int>(f().persistence);
  return mode ? std::optional(*mode != 0) : std::nullopt;
}

std::vector<Part> Device::parts() const {
  const unsigned most = mig() == true ? ask<unsigned>(f().most_instances).value_or(0) : 0;
  std::vector<Part> parts;
  for (unsigned i = 0; i < most; ++i)
    if (const auto handle = ask<Handle>(f().instance, i))
      parts.push_back({*this, text(f().uuid, *handle), fmt::format("{}:{}", index_, i), text(f().name, *handle)});
  if (parts.empty()) parts.push_back({*this, uuid_, fmt::to_string(index_), name_});
  return parts;
}

std::optional<unsigned long long> Device::nvlink_errors() const {
  const auto there = fields({kFieldLinks});
  const auto links = there.empty() ? std::nullopt : number_of(there[0]);
  if (!links || *links == 0) return std::nullopt;
  std::optional<unsigned long long> errors;
  for (const FieldValue& field :
       fields({kFieldReplays, kFieldRecoveries, kFieldRecoveriesBlackwell}, static_cast<unsigned>(*links)))
    if (const auto count = number_of(field)) errors = errors.value_or(0) + static_cast<unsigned long long>(*count);
  return errors;
}

Health Device::health() const {
  Health health;
  std::optional<unsigned long long> rows;
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (ok(call(f().remapped_rows, &corrected, &uncorrected, &pending, &failed))) rows = corrected + uncorrected;
  health.errors = {{"uncorrected ECC error", ask<unsigned long long>(f().ecc_errors, kUncorrected, kVolatile)},
                   {"remapped memory row", rows},
                   {"NVLink error", nvlink_errors()}};
  health.pcie_width = ask<unsigned>(f().pcie_width);
  health.power_limit_w = power_limit_w();
  if (const auto action = fields({kFieldRecoveryAction}); !action.empty())
    health.request = request_of(static_cast<unsigned>(number_of(action[0]).value_or(0)));
  return health;
}

std::vector<Part> parts_of(const std::shared_ptr<Nvml>& session, const std::string& which) {
  return each_named(
      which, [&](const std::string& name) { return named(session, name); }, &Part::uuid);
}

}  // namespace reg::gpu
