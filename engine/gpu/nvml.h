#pragma once

#include <memory>
#include <optional>
#include <string>

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

  struct Functions;
  const Functions& functions() const { return *functions_; }

  std::optional<std::string> driver() const;  ///< "580.65.06"
  unsigned driver_branch() const;             ///< 580 of "580.65.06"; 0 if it is unknown
  std::optional<std::string> cuda() const;    ///< the newest CUDA that this driver supports: "13.0"
  unsigned count() const;
  nvml::Handle by_index(unsigned index) const;          ///< these throw not_found
  nvml::Handle by_uuid(const std::string& uuid) const;  ///< of an instance (MIG): the GPU that it is a part of

  /// NVML's text for a return code, and the code.
  std::string words(nvml::Result result) const;

 private:
  Nvml();
  static std::unique_ptr<const Functions> of_amd();
  [[noreturn]] void fail(nvml::Result result, const std::string& what) const;

  std::unique_ptr<const Functions> functions_;
};

/// The functions of NVML: X(member, symbol, parameter types); each returns a Result.
#define REGENGINE_NVML(X)                                                                          \
  X(init, nvmlInit_v2)                                                                             \
  X(shutdown, nvmlShutdown)                                                                        \
  X(driver_version, nvmlSystemGetDriverVersion, char*, unsigned)                                   \
  X(cuda_version, nvmlSystemGetCudaDriverVersion_v2, int*)                                         \
  X(count, nvmlDeviceGetCount_v2, unsigned*)                                                       \
  X(by_index, nvmlDeviceGetHandleByIndex_v2, unsigned, Handle*)                                    \
  X(by_uuid, nvmlDeviceGetHandleByUUID, const char*, Handle*)                                      \
  X(name, nvmlDeviceGetName, Handle, char*, unsigned)                                              \
  X(uuid, nvmlDeviceGetUUID, Handle, char*, unsigned)                                              \
  X(index, nvmlDeviceGetIndex, Handle, unsigned*)                                                  \
  X(pci, nvmlDeviceGetPciInfo_v3, Handle, nvml::PciInfo*)                                          \
  X(clock, nvmlDeviceGetClockInfo, Handle, unsigned, unsigned*)                                    \
  X(max_clock, nvmlDeviceGetMaxClockInfo, Handle, unsigned, unsigned*)                             \
  X(memory_clocks, nvmlDeviceGetSupportedMemoryClocks, Handle, unsigned*, unsigned*)               \
  X(graphics_clocks, nvmlDeviceGetSupportedGraphicsClocks, Handle, unsigned, unsigned*, unsigned*) \
  X(power, nvmlDeviceGetPowerUsage, Handle, unsigned*)                                             \
  X(utilization, nvmlDeviceGetUtilizationRates, Handle, nvml::Utilization*)                        \
  X(memory, nvmlDeviceGetMemoryInfo, Handle, nvml::Memory*)

/// Those that drivers lack which are too old or too new.
#define REGENGINE_NVML_OPTIONAL(X)                                                                    \
  X(gpu_of_instance, nvmlDeviceGetDeviceHandleFromMigDeviceHandle, Handle, Handle*)                   \
  X(most_instances, nvmlDeviceGetMaxMigDeviceCount, Handle, unsigned*)                                \
  X(instance, nvmlDeviceGetMigDeviceHandleByIndex, Handle, unsigned, Handle*)                         \
  X(lock_sm, nvmlDeviceSetGpuLockedClocks, Handle, unsigned, unsigned)                                \
  X(reset_sm, nvmlDeviceResetGpuLockedClocks, Handle)                                                 \
  X(lock_memory, nvmlDeviceSetMemoryLockedClocks, Handle, unsigned, unsigned)                         \
  X(reset_memory, nvmlDeviceResetMemoryLockedClocks, Handle)                                          \
  X(fields, nvmlDeviceGetFieldValues, Handle, int, nvml::FieldValue*)                                 \
  X(temperature_v, nvmlDeviceGetTemperatureV, Handle, nvml::Temperature*)                             \
  X(temperature, nvmlDeviceGetTemperature, Handle, unsigned, unsigned*)                               \
  X(power_limit, nvmlDeviceGetEnforcedPowerLimit, Handle, unsigned*)                                  \
  X(memory_v2, nvmlDeviceGetMemoryInfo_v2, Handle, nvml::MemoryV2*)                                   \
  X(processes, nvmlDeviceGetComputeRunningProcesses_v3, Handle, unsigned*, nvml::ProcessInfo*)        \
  X(mps_processes, nvmlDeviceGetMPSComputeRunningProcesses_v3, Handle, unsigned*, nvml::ProcessInfo*) \
  X(process_name, nvmlSystemGetProcessName, unsigned, char*, unsigned)                                \
  X(persistence, nvmlDeviceGetPersistenceMode, Handle, int*)                                          \
  X(ecc, nvmlDeviceGetEccMode, Handle, int*, int*)                                                    \
  X(mig, nvmlDeviceGetMigMode, Handle, unsigned*, unsigned*)                                          \
  X(ecc_errors, nvmlDeviceGetTotalEccErrors, Handle, unsigned, unsigned, unsigned long long*)         \
  X(remapped_rows, nvmlDeviceGetRemappedRows, Handle, unsigned*, unsigned*, unsigned*, unsigned*)     \
  X(pcie_width, nvmlDeviceGetCurrPcieLinkWidth, Handle, unsigned*)                                    \
  X(pcie_generation, nvmlDeviceGetCurrPcieLinkGeneration, Handle, unsigned*)                          \
  X(event_set_create, nvmlEventSetCreate, nvml::EventSet*)                                            \
  X(register_events, nvmlDeviceRegisterEvents, Handle, unsigned long long, nvml::EventSet)            \
  X(event_set_wait, nvmlEventSetWait_v2, nvml::EventSet, nvml::EventData*, unsigned)                  \
  X(event_set_free, nvmlEventSetFree, nvml::EventSet)

/// The functions of NVML; the optional ones are nullptr where this driver does not have them.
struct Nvml::Functions {
  using Handle = nvml::Handle;

#define REGENGINE_MEMBER(name, symbol, ...) nvml::Result (*name)(__VA_ARGS__) = nullptr;
  REGENGINE_NVML(REGENGINE_MEMBER)
  REGENGINE_NVML_OPTIONAL(REGENGINE_MEMBER)
#undef REGENGINE_MEMBER
  const char* (*error_string)(nvml::Result) = nullptr;
  nvml::Result (*event_reasons)(Handle, unsigned long long*) = nullptr;  // under its newer or its older name
};

}  // namespace reg::gpu
