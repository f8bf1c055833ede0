#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reg::store {

/// All launches of one kernel.
struct NsysKernel {
  std::string name;
  std::int64_t count = 0;
  double total_s = 0, min_s = 0, max_s = 0;
};

/// The kernels in an SQLite export of nsys, the one with the most time first; none if the capture has no kernels.
/// Throws not_found, and corrupt if the file is not such an export.
std::vector<NsysKernel> nsys_kernels(const std::string& path);

}  // namespace reg::store
