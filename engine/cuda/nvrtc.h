#pragma once

#include <string>

#include "engine/cuda/driver.h"

namespace reg::cuda {

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
