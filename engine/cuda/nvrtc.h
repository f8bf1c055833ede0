#pragma once

#include <string>
#include <vector>

#include "engine/cuda/driver.h"
#include "engine/guard/policy.h"

namespace reg::cuda {

struct CompileOptions {
  std::string arch;                ///< "sm_90": exact machine code (CUBIN); "compute_90": PTX for the driver to finish
  std::string name = "kernel.cu";  ///< the source's name in messages
  std::vector<std::string> options;  ///< further ones of NVRTC: "--use_fast_math", "-DN=4"
};

struct Compiled {
  std::string image;  ///< CUBIN, or PTX with its final NUL left off
  std::string log;    ///< the compiler's warnings
};

/// Compiles CUDA C++ with NVRTC, which needs neither GPU nor driver. Throws Error(usage) with the compiler's own lines
/// for a source that does not compile, and Error(unavailable) where there is no NVRTC.
Compiled compile(const std::string& source, const CompileOptions& options);

/// "13.0"; throws Error(unavailable) where there is no NVRTC.
std::string nvrtc_version();

/// What compiling with these options of NVRTC's reaches: the compiler reads what a source includes, and some options
/// name files that it reads or writes (--create-pch=, --time=, -I). Of an option that is not known here the value may
/// be one.
std::vector<Need> needs_to_compile(const std::vector<std::string>& options);

}  // namespace reg::cuda
