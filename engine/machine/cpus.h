#pragma once

#include <string>
#include <vector>

namespace reg {

/// Parses "0-3,8", the format of the kernel and taskset, into ascending numbers. Throws usage for anything else.
std::vector<int> parse_cpus(const std::string& text);

/// {0, 1, 2, 3, 8} as "0-3,8".
std::string format_cpus(const std::vector<int>& cpus);

}  // namespace reg
