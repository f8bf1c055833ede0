#pragma once

#include <string>
#include <vector>

namespace reg::artifact {

/// The compiled files below a folder, sorted, as paths below it: programs, shared objects, wheels, code for GPUs and
/// the optimized modules of an XLA dump. Links are not followed. Throws not_found, permission or io naming the folder.
std::vector<std::string> compiled_files(const std::string& folder);

}  // namespace reg::artifact
