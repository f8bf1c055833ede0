#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/library.h"
#include "engine/gpu/nvml_api.h"

namespace reg::gpu {

/// A session with the NVIDIA driver for the lifetime of this object: the functions of its NVML, with return codes
/// turned into errors. Where has_amd_gpus() it is one with their library (amd.cpp). Callable from any thread.
class Nvml {
 public:
  /// Loads the library and opens a session. Throws unavailable, with a hint, if there is no driver.
  static std::shared_ptr<Nvml> open();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  struct Functions;
  const Functions& functions() const { return *functions_; }

  std::optional<std::string> driver() const;  ///< "580.65.06"
  unsigned driver_branch() const;             ///< 580 of "580.65.06"; 0 if it is unknown
  std::optional<std::string> cuda() const;    ///< the newest CUDA that this driver supports: "13.0"
  unsigned count() const;
  nvml::Handle by_index(unsigned index) const;          ///< these three throw not_found
  nvml::Handle by_uuid(const std::string& uuid) const;  ///< of an instance (MIG): the GPU that it is a part of
  nvml::Handle by_pci(const std::string& pci) const;

  /// NVML's text for a return code, and the code.
  std::string words(nvml::Result result) const;

 private:
  Nvml();
  static std::unique_ptr<const Functions> of_amd();
  [[noreturn]] void fail(nvml::Result result, const std::string& what) const;

  std::unique_ptr<const Functions> functions_;
};

/// The functions of NVML. Those below `optional` are nullptr if this driver is too old or too new to have them.
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
  F<Handle, Handle*>* gpu_of_instance;
  F<Handle, U*>* most_instances;
  F<Handle, U, Handle*>* instance;
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
  F<Handle, U*, nvml::ProcessInfo*>* mps_processes;
  F<U, char*, U>* process_name;
  F<Handle, int*>* persistence;
  F<Handle, int*, int*>* ecc;
  F<Handle, U*, U*>* mig;
  F<Handle, int*>* performance_state;
  F<Handle, U, U, unsigned long long*>* ecc_errors;
  F<Handle, U*, U*, U*, U*>* remapped_rows;
  F<Handle, U*>* pcie_width;
  F<Handle, U*>* pcie_generation;
  F<nvml::EventSet*>* event_set_create;
  F<Handle, unsigned long long, nvml::EventSet>* register_events;
  F<nvml::EventSet, nvml::EventData*, U>* event_set_wait;
  F<nvml::EventSet>* event_set_free;
};

}  // namespace reg::gpu
