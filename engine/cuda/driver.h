#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/cuda/abi.h"

namespace reg::cuda {

/// The CUDA driver's functions. It owns nothing: objects are made and freed by those who use it.
struct Driver {
#define REGENGINE_MEMBER(name, ...) int (*name)(__VA_ARGS__) = nullptr;
  REGENGINE_CUDA_DRIVER(REGENGINE_MEMBER)
  REGENGINE_CUDA_DRIVER_OPTIONAL(REGENGINE_MEMBER)
#undef REGENGINE_MEMBER

  /// Throws, unless `code` is success, what was being done and the driver's own words: check(rc, "allocate ", n, "
  /// bytes").
  template <class... Words>
  void check(int code, const Words&... doing) const {
    if (code != abi::kSuccess) throw error(code, (fmt::format("{}", doing) + ... + std::string()));
  }

  [[nodiscard]] Error error(int code, const std::string& doing) const;

  /// The newest CUDA that it supports: 12040 for 12.4.
  [[nodiscard]] int version() const;
};

/// The driver of this machine, loaded and initialized at the first call. Throws Error(unavailable) where there is none,
/// or none with a GPU.
const Driver& driver();

/// One whose every function succeeds and does nothing: for dry runs.
const Driver& dry_driver();

/// driver() as a value.
Presence driver_status();

/// What a GPU is, as the driver knows it.
struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string uuid;  ///< "GPU-..." as nvidia-smi and NVML write it
  std::string pci_id;
  std::string arch;  ///< "sm_90"
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  int multiprocessors = 0;
  double clock_mhz = 0;  ///< the SM clock the GPU runs at when nothing holds it back
};

std::vector<DeviceInfo> devices();

/// "12.4" of the driver: the newest CUDA it knows.
std::string driver_version();

constexpr int kNewestToolkit = 13, kOldestToolkit = 11;

/// A library of the CUDA Toolkit.
struct ToolkitLibrary {
  std::string_view file;          ///< its name before the major version: "libcublas.so."
  std::string_view wheel;         ///< the folder of its wheels before CUDA 13: "cublas"
  std::string_view of_11 = "11";  ///< the version in its name in CUDA 11
};

/// Its package for pip, for the CUDA of the driver: "nvidia-cublas-cu12"; 0: unknown.
std::string package_of(std::string_view library, int driver_major);

/// Where it may be, for CUDA `newest` down to `oldest`, each in the wheels of VIRTUAL_ENV and of the Python that is
/// first on PATH, on the loader's path, and in /usr/local/cuda.
std::vector<std::string> toolkit_files(const ToolkitLibrary& library, int newest, int oldest = kOldestToolkit);

// --- NVRTC (nvrtc.cpp)
struct Compiled {
  std::string image;  ///< CUBIN, or PTX with its final NUL left off
  std::string log;    ///< the compiler's warnings
};

/// Compiles CUDA C++ with NVRTC, which needs neither GPU nor driver. `arch`: "sm_90" for exact machine code (CUBIN),
/// "compute_90" for PTX for the driver to finish; `name`: the source's in messages. Throws Error(usage) with the
/// compiler's own lines for a source that does not compile, and Error(unavailable) where there is no NVRTC.
Compiled compile(const std::string& source, const std::string& arch, const std::string& name);

/// "13.0"; throws Error(unavailable) where there is no NVRTC.
std::string nvrtc_version();

}  // namespace reg::cuda
