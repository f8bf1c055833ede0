#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/gpu/nvml_api.h"

namespace reg::gpu {

/// A session with the NVIDIA driver, as long as it lives. It knows the functions of this driver's NVML and turns their
/// return codes into errors; what a GPU is, Device knows. Its calls may come from any thread.
class Nvml {
 public:
  /// Loads the library and begins a session. Throws unavailable, with what would help, where there is no driver.
  static std::shared_ptr<Nvml> open();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  struct Functions;
  const Functions& functions() const { return *functions_; }

  std::optional<std::string> driver() const;  ///< "580.65.06"
  std::optional<std::string> cuda() const;    ///< the newest CUDA that this driver runs: "13.0"
  unsigned count() const;
  nvml::Handle by_index(unsigned index) const;  ///< these three throw not_found
  nvml::Handle by_uuid(const std::string& uuid) const;
  nvml::Handle by_pci(const std::string& pci) const;

  /// What NVML says a return code means, with the code.
  std::string words(nvml::Result result) const;

 private:
  Nvml();
  [[noreturn]] void fail(nvml::Result result, const std::string& what) const;

  std::unique_ptr<const Functions> functions_;
};

/// The functions of NVML. Those marked `optional` are younger than the driver may be, or older than the library still
/// has them: nullptr then.
struct Nvml::Functions {
  template <class... Arguments>
  using F = nvml::Result(Arguments...);
  using Handle = nvml::Handle;
  using U = unsigned;

  F<>* init;
  F<>* shutdown;
  const char* (*error_string)(nvml::Result);
  F<char*, U>* driver_version;
  F<int*>* cuda_version;
  F<U*>* count;
  F<U, Handle*>* by_index;
  F<const char*, Handle*>* by_uuid;
  F<const char*, Handle*>* by_pci;
  F<Handle, char*, U>* name;
  F<Handle, char*, U>* uuid;
  F<Handle, U*>* index;
  F<Handle, nvml::PciInfo*>* pci;
  F<Handle, U, U*>* clock;
  F<Handle, U, U*>* max_clock;
  F<Handle, U*, U*>* memory_clocks;
  F<Handle, U, U*, U*>* graphics_clocks;
  F<Handle, U*>* power;
  F<Handle, nvml::Utilization*>* utilization;
  F<Handle, nvml::Memory*>* memory;

  // optional
  F<Handle, U, U, U*>* clock_by_id;
  F<Handle, U, U>* lock_sm;
  F<Handle>* reset_sm;
  F<Handle, U, U>* lock_memory;
  F<Handle>* reset_memory;
  F<Handle, unsigned long long*>* event_reasons;  // under its newer or its older name
  F<Handle, int, nvml::FieldValue*>* fields;
  F<Handle, nvml::Temperature*>* temperature_v;
  F<Handle, U, U*>* temperature;
  F<Handle, U*>* power_limit;
  F<Handle, nvml::MemoryV2*>* memory_v2;
  F<Handle, U*, nvml::ProcessInfo*>* processes;
  F<U, char*, U>* process_name;
  F<Handle, int*>* persistence;
  F<Handle, int*, int*>* ecc;
  F<Handle, U*, U*>* mig;
  F<Handle, int*>* performance_state;
};

}  // namespace reg::gpu
