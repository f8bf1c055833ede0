#pragma once

#include <string>
#include <vector>

namespace reg {

/// "0-3,8", as the kernel and taskset have it, as numbers in order. Throws usage for anything else.
std::vector<int> parse_cpus(const std::string& text);

/// {0, 1, 2, 3, 8} as "0-3,8".
std::string format_cpus(const std::vector<int>& cpus);

}  // namespace reg
