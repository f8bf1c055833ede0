#pragma once

// The part of NVML that the engine uses, declared by hand so that the build does not need the CUDA Toolkit. Names and
// numbers are NVML's own; sizes and offsets are its ABI.

namespace reg::gpu::nvml {

using Result = int;
using Handle = void*;

enum : Result {
  kSuccess = 0,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kOperatingSystem = 17,
  kVersionMismatch = 18,
  kGpuNotFound = 28,
};

enum Domain : unsigned { kSm = 1, kMemory = 2 };

/// Of those of the driver (reason_words in device.cpp), what spoils a measurement, and idle.
enum Reason : unsigned long long {
  kIdle = 0x1,
  kSwPowerCap = 0x4,
  kHwSlowdown = 0x8,
  kSwThermal = 0x20,
  kHwThermal = 0x40,
  kHwPowerBrake = 0x80,
};

/// The power of the moment in mW.
constexpr unsigned kFieldPowerNow = 186;

/// How many links of NVLink the GPU has; and errors of one link, whose number is FieldValue::scope: replays and
/// recoveries up to Hopper, recoveries from Blackwell on. CRC errors alone are normal, and repeated at once.
constexpr unsigned kFieldLinks = 91, kFieldReplays = 161, kFieldRecoveries = 162, kFieldRecoveriesBlackwell = 215;

/// NVML_FI_DEV_GET_GPU_RECOVERY_ACTION, of drivers from 570 on.
constexpr unsigned kFieldRecoveryAction = 230;

/// Fields that count nanoseconds. The three of software thermal slowdown, hardware thermal slowdown and power brake
/// follow one another: from 269 on in the headers of driver 590, and in 580.159, from 251 on in those before. Where
/// they are not, the numbers mean settings of power smoothing, which have another type.
constexpr unsigned kFieldSwPowerCap = 74;
/// NVML_FI_DEV_PERF_POLICY_THERMAL: thermal violations, of software and of hardware, also on drivers before 575.
constexpr unsigned kFieldThermal = 75;
constexpr unsigned kFirstCountingDriver = 575, kFirstField575 = 251, kFirstField590 = 269;

struct PciInfo {
  char legacy_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);

struct Memory {
  unsigned long long total, free, used;
};
static_assert(sizeof(Memory) == 24);

struct MemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
static_assert(sizeof(MemoryV2) == 40);

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

struct Temperature {
  unsigned version, sensor;
  int celsius;
};
static_assert(sizeof(Temperature) == 12);

struct FieldValue {
  unsigned id, scope;
  long long timestamp, latency_us;
  int type;
  Result result;
  union {
    double real;
    unsigned whole;
    unsigned long long_whole_on_unix;
    unsigned long long long_whole;
  } value;
};
static_assert(sizeof(FieldValue) == 40);

/// FieldValue::type
enum ValueType : int { kDouble = 0, kUnsigned = 1, kUnsignedLong = 2, kUnsignedLongLong = 3 };

using EventSet = void*;
constexpr unsigned long long kXidEvents = 0x8;

struct EventData {
  Handle device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(EventData) == 32);

/// nvmlDeviceGetTotalEccErrors: uncorrected ones, since the driver was loaded.
constexpr unsigned kUncorrected = 1, kVolatile = 0;

struct Utilization {
  unsigned gpu, memory;
};
static_assert(sizeof(Utilization) == 8);

template <class T>
constexpr unsigned version_word(unsigned version) {
  return static_cast<unsigned>(sizeof(T)) | version << 24;
}
static_assert(version_word<MemoryV2>(2) == 0x02000028);
static_assert(version_word<Temperature>(1) == 0x0100000c);

/// A process's used_bytes if the driver does not know them.
constexpr unsigned long long kValueNotAvailable = ~0ULL;

}  // namespace reg::gpu::nvml
