// AMD's libamd_smi under the names of NVML. It only reads: locks, and what the library does not report, are missing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "engine/base/error.h"
#include "engine/base/library.h"
#include "engine/gpu/nvml.h"

namespace reg::gpu {
namespace {

using namespace nvml;
using U = unsigned;

const Library* amd_smi;
std::vector<Handle> amd_gpus;  // as ROCm numbers them

// What a function writes through its last argument. The offsets below are right in these versions, of ROCm 7 and 10; a
// member that is not reported is 0xffff, or the highest number.
constexpr U kOldest = 26, kNewest = 27, kUnknown = 0xffff;
struct Answer {
  explicit Answer(const char* symbol, auto... arguments) {
    auto* const function = amd_smi->find<int(decltype(arguments)..., void*)>(symbol);
    result = function != nullptr && function(arguments..., bytes.data()) == 0 ? kSuccess : kNotSupported;
  }
  template <class T = U>
  T at(std::size_t offset) const {
    T value{};
    std::memcpy(&value, &bytes.at(offset), sizeof value);
    return value;
  }
  Result number(std::size_t offset, U* to, U factor = 1) const {
    *to = at(offset) * factor;
    return at(offset) < kUnknown ? result : kNotSupported;
  }
  alignas(8) std::array<char, 16384> bytes{};
  Result result;
};

Result copy(const std::string& text, char* to, U size) {
  return std::snprintf(to, size, "%s", text.c_str()) > 0 ? kSuccess : kNotSupported;
}

// As ROCR_VISIBLE_DEVICES takes it; "" if there is none.
std::string uuid(Handle gpu) {
  const Answer info("amdsmi_get_gpu_enumeration_info", gpu);
  const auto id = std::strncmp(&info.bytes[16], "GPU-", 4) == 0 ? std::strtoull(&info.bytes[20], nullptr, 16) : 0;
  return id == 0 ? "" : fmt::format("GPU-{:016x}", id);
}

template <std::size_t kMember>
Result clock(Handle gpu, U domain, U* mhz) {
  return Answer("amdsmi_get_clock_info", gpu, domain == kMemory ? 4 : 0).number(kMember, mhz);
}

// What limited the clock in the 100 ms that the library takes for it: power; processor, socket, VR or memory heat.
Result reasons(Handle gpu, unsigned long long* to) {
  const Answer violations("amdsmi_get_violation_status", gpu);
  const auto active = [&](auto... members) { return ((violations.bytes.at(members) == 1) || ...); };
  *to = (active(121) ? U{kSwPowerCap} : 0) | (active(120, 122, 123, 124) ? U{kSwThermal} : 0);
  return violations.result;
}

// Those of a socket, or the sockets.
std::vector<Handle> handles(const char* symbol, auto... of) {
  U count = 256;
  const Answer list(symbol, of..., &count);
  std::vector<Handle> found(list.result == kSuccess ? count : 0);
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = list.at<Handle>(i * sizeof(Handle));
  return found;
}

// Those that ROCR_VISIBLE_DEVICES can name: without the partitions of one GPU, which have one ID.
void list_gpus() {
  std::map<std::string, std::vector<Handle>> by_name;
  std::map<U, Handle> by_node;  // the order of ROCR_VISIBLE_DEVICES
  for (const Handle socket : handles("amdsmi_get_socket_handles"))
    for (const Handle gpu : handles("amdsmi_get_processor_handles", socket)) by_name[uuid(gpu)].push_back(gpu);
  for (const auto& [name, same] : by_name)
    if (!name.empty() && same.size() == 1) by_node[Answer("amdsmi_get_gpu_enumeration_info", same[0]).at(8)] = same[0];
  amd_gpus.clear();
  for (const auto& [node, gpu] : by_node) amd_gpus.push_back(gpu);
}

}  // namespace

std::unique_ptr<const Nvml::Functions> Nvml::of_amd() {
  static const Library loaded({"libamd_smi.so.27", "libamd_smi.so.26", "/opt/rocm/lib/libamd_smi.so"},
                              "REGENGINE_AMDSMI",
                              "Install it (from AMD's repository): sudo apt-get install amd-smi-lib");
  amd_smi = &loaded;
  const Answer version("amdsmi_get_lib_version");
  if (version.at(0) < kOldest || version.at(0) > kNewest)
    throw Error(ErrorKind::unavailable, fmt::format("libamd_smi {}.{}: unknown version", version.at(0), version.at(4)),
                fmt::format("Install one of version {} to {} (ROCm 7 or 10).", kOldest, kNewest));
  constexpr std::uint64_t kGpus = 2;
  if (const int status = loaded.get<int(std::uint64_t)>("amdsmi_init")(kGpus); status != 0)
    throw Error(ErrorKind::unavailable, fmt::format("AMD SMI does not start: status {}", status),
                "It needs the amdgpu driver, and access to /dev/kfd and /dev/dri. Check with: sudo amd-smi list");
  list_gpus();
  auto f = std::make_unique<Functions>();
  f->init = [] { return Result{kSuccess}; };
  f->shutdown = [] { return amd_smi->get<int()>("amdsmi_shut_down")(); };
  f->error_string = [](Result) { return "not supported"; };
  f->driver_version = [](char* text, U size) {
    const Answer info("amdsmi_get_gpu_driver_info", amd_gpus.empty() ? nullptr : amd_gpus.front());
    return copy(std::string("amdgpu ") + info.bytes.data(), text, size);
  };
  f->cuda_version = [](int*) { return Result{kNotSupported}; };
  f->count = [](U* count) { return *count = static_cast<U>(amd_gpus.size()), Result{kSuccess}; };
  f->by_index = [](U index, Handle* gpu) { return *gpu = amd_gpus.at(index), Result{kSuccess}; };
  f->by_uuid = [](const char* name, Handle* to) {
    const auto gpu = std::find_if(amd_gpus.begin(), amd_gpus.end(), [&](Handle one) { return uuid(one) == name; });
    return gpu == amd_gpus.end() ? Result{kNotFound} : (*to = *gpu, Result{kSuccess});
  };
  f->name = [](Handle gpu, char* text, U size) {
    return copy(Answer("amdsmi_get_gpu_asic_info", gpu).bytes.data(), text, size);
  };
  f->uuid = [](Handle gpu, char* text, U size) { return copy(uuid(gpu), text, size); };
  f->index = [](Handle gpu, U* to) {
    return *to = static_cast<U>(std::find(amd_gpus.begin(), amd_gpus.end(), gpu) - amd_gpus.begin()), Result{kSuccess};
  };
  f->pci = [](Handle gpu, PciInfo* to) {
    const auto id = Answer("amdsmi_get_gpu_bdf_id", gpu).at<std::uint64_t>(0);
    return copy(fmt::format("{:08x}:{:02x}:{:02x}.{:x}", id >> 32, id >> 8 & 0xff, id >> 3 & 0x1f, id & 7), to->bus_id,
                sizeof to->bus_id);
  };
  f->clock = clock<0>;
  f->max_clock = clock<8>;
  f->temperature = [](Handle gpu, U, U* to) {  // of the hottest spot, or the edge
    const bool hot_spot = Answer("amdsmi_get_temp_metric", gpu, 1, 0).number(0, to) == kSuccess;
    return hot_spot ? kSuccess : Answer("amdsmi_get_temp_metric", gpu, 0, 0).number(0, to);
  };
  f->power = [](Handle gpu, U* to) {  // of now, or before MI300 the average
    const Answer info("amdsmi_get_power_info", gpu);
    return info.number(info.at(8) < kUnknown ? 8 : 12, to, 1000);
  };
  f->power_limit = [](Handle gpu, U* to) {
    const Answer microwatts("amdsmi_get_power_cap_info", gpu, 0U);
    return *to = static_cast<U>(microwatts.at<std::uint64_t>(0) / 1000), microwatts.result;
  };
  f->utilization = [](Handle gpu, Utilization* to) {
    return Answer("amdsmi_get_gpu_activity", gpu).number(0, &to->gpu);
  };
  f->event_reasons = reasons;
  return f;
}

}  // namespace reg::gpu
