#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/gpu/nvml.h"

namespace reg::gpu {

/// A compute process on a GPU.
struct Process {
  unsigned pid = 0;
  std::string name;                    ///< "" if this process cannot see it
  std::optional<std::uint64_t> bytes;  ///< GPU memory
};

struct MemoryUse {
  std::uint64_t total = 0, used = 0, free = 0;
};

/// The names of the event reasons that are set, in bit order: "idle", "sw_power_cap", "hw_thermal", ...
std::vector<std::string> reason_words(std::uint64_t reasons);

/// The reasons that spoil a measurement; idle is not one of them.
constexpr std::uint64_t kBadReasons =
    nvml::kSwPowerCap | nvml::kHwSlowdown | nvml::kSwThermal | nvml::kHwThermal | nvml::kHwPowerBrake;

/// What only changes when something breaks.
struct Health {
  /// What the driver counts since it was loaded: { "uncorrected ECC error", 0 }, ...
  std::vector<std::pair<const char*, std::optional<unsigned long long>>> errors;
  std::optional<unsigned> pcie_width;
  std::optional<double> power_limit_w;
  std::string request;  ///< "reset the GPU": what the driver asks for, to repair it; "" for nothing
};

/// NVML reports that the GPU is lost; no call on it will succeed any more.
class GpuLost : public Error {
 public:
  using Error::Error;
};

struct Part;

/// One GPU. A value that it does not support is nullopt or empty, never 0. Throws GpuLost once it has fallen off the
/// bus. It locks and resets clocks but does not ensure that they are restored; ClockLocks (lock.h) does.
class Device {
 public:
  Device(std::shared_ptr<Nvml> session, nvml::Handle handle);

  /// "0" or "GPU-...", or an instance of a GPU (MIG), "MIG-..." or "0:1": the GPU that it is a part of.
  /// Throws not_found.
  static Device find(const std::shared_ptr<Nvml>& session, const std::string& which);
  /// All GPUs, by index. One that is lost or forbidden is left out and said once; throws where none is left.
  static std::vector<Device> all(const std::shared_ptr<Nvml>& session);
  /// "all"; "visible", those that programs see: of visible_devices(), in its order, or all; or names as find() takes
  /// them: "0,1". A UUID may be cut short, as docker takes it. Each GPU once.
  static std::vector<Device> list(const std::shared_ptr<Nvml>& session, const std::string& which);

  unsigned index() const { return index_; }
  const std::string& uuid() const { return uuid_; }
  const std::string& name() const { return name_; }
  const std::string& pci() const { return pci_; }
  /// "GPU 0", for messages.
  std::string title() const { return "GPU " + std::to_string(index_); }
  const std::shared_ptr<Nvml>& session() const { return session_; }
  /// Whether NVML means this GPU by that handle, also once it is lost.
  bool is(nvml::Handle handle) const { return handle_ == handle; }

  std::optional<unsigned> clock(nvml::Domain domain) const { return ask<unsigned>(f().clock, unsigned{domain}); }
  std::optional<unsigned> max_clock(nvml::Domain domain) const {
    return ask<unsigned>(f().max_clock, unsigned{domain});
  }
  std::vector<unsigned> memory_clocks() const;             ///< supported ones, highest first
  std::vector<unsigned> sm_clocks(unsigned memory) const;  ///< supported ones at this memory clock, highest first
  std::optional<std::uint64_t> event_reasons() const { return ask<unsigned long long>(f().event_reasons); }
  /// Cumulative seconds of throttling by reason, and "thermal" of either kind; without those not counted here.
  std::map<std::string, double> throttle_counters() const;
  std::optional<int> temperature() const;
  std::optional<double> power_w() const;  ///< of the moment, where the driver tells it
  std::optional<double> power_limit_w() const;
  std::optional<nvml::Utilization> utilization() const { return ask<nvml::Utilization>(f().utilization); }
  std::optional<MemoryUse> memory() const;
  std::vector<Process> processes() const;
  std::optional<bool> persistence() const;
  std::optional<bool> ecc() const { return current_mode<int>(f().ecc); }
  std::optional<bool> mig() const { return current_mode<unsigned>(f().mig); }
  /// The instances of a GPU whose MIG is on: as a whole it runs nothing. Else the whole of it.
  std::vector<Part> parts() const;
  /// Lower while the GPU idles.
  std::optional<unsigned> pcie_generation() const { return ask<unsigned>(f().pcie_generation); }
  Health health() const;
  /// From now on Xids of this GPU are events of the set, where the driver supports that.
  void report_xids_to(nvml::EventSet set) const { call(f().register_events, nvml::kXidEvents, set); }

  // These need root. They return NVML's result, kFunctionNotFound if this driver has no such function.
  nvml::Result lock_sm(unsigned mhz) const { return call(f().lock_sm, mhz, mhz); }
  nvml::Result lock_memory(unsigned mhz) const { return call(f().lock_memory, mhz, mhz); }
  nvml::Result reset_sm() const { return call(f().reset_sm); }
  nvml::Result reset_memory() const { return call(f().reset_memory); }

 private:
  const Nvml::Functions& f() const { return session_->functions(); }
  bool ok(nvml::Result result) const;
  template <class F, class... Arguments>
  nvml::Result call(F* function, Arguments... arguments) const {
    return function == nullptr ? nvml::kFunctionNotFound : function(handle_, arguments...);
  }
  template <class T, class F, class... Arguments>
  std::optional<T> ask(F* function, Arguments... arguments) const {
    T value{};
    return ok(call(function, arguments..., &value)) ? std::optional(value) : std::nullopt;
  }
  // The pending mode comes with the next reset.
  template <class T, class F>
  std::optional<bool> current_mode(F* function) const {
    T current{}, pending{};
    return ok(call(function, &current, &pending)) ? std::optional(current != 0) : std::nullopt;
  }
  // Of each link up to the last, or of the GPU. Empty where the driver has no fields.
  std::vector<nvml::FieldValue> fields(const std::vector<unsigned>& ids, unsigned links = 1) const;
  std::optional<unsigned long long> nvlink_errors() const;
  std::string text(nvml::Result (*function)(nvml::Handle, char*, unsigned), nvml::Handle handle) const;

  std::shared_ptr<Nvml> session_;
  nvml::Handle handle_;
  unsigned index_ = 0;
  std::string uuid_, name_, pci_;
};

/// What a program can have for itself: a GPU, or an instance of one (MIG).
struct Part {
  Device device;      ///< the GPU that it is a part of
  std::string uuid;   ///< "GPU-..." or "MIG-...", which CUDA and docker take
  std::string index;  ///< "0" or "0:1", which docker and podman take
  std::string name;
};

/// The parts of this list of GPUs, as Device::list takes it, each once. Throws not_found.
std::vector<Part> parts_of(const std::shared_ptr<Nvml>& session, const std::string& which);

}  // namespace reg::gpu
