#pragma once

#include <string>
#include <vector>

#include "engine/guard/effect.h"

namespace reg::cuda {

/// What compiling with these options of NVRTC's reaches: the compiler reads what a source includes, and some options
/// name files that it reads or writes (--create-pch=, --time=, -I). Of an option that is not known here the value may
/// be one.
std::vector<Need> needs_to_compile(const std::vector<std::string>& options);

}  // namespace reg::cuda
