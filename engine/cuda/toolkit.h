#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reg::cuda {

constexpr int kNewestToolkit = 13, kOldestToolkit = 11;

/// A library of the CUDA Toolkit.
struct ToolkitLibrary {
  std::string_view file;          ///< its name before the major version: "libcublas.so."
  std::string_view wheel;         ///< the folder of its wheels before CUDA 13: "cublas"
  std::string_view of_11 = "11";  ///< the version in its name in CUDA 11
};

/// Where it may be, for CUDA `newest` down to `oldest`, each in the wheels of VIRTUAL_ENV and of the Python that is
/// first on PATH, on the loader's path, and in /usr/local/cuda.
std::vector<std::string> toolkit_files(const ToolkitLibrary& library, int newest, int oldest = kOldestToolkit);

}  // namespace reg::cuda
