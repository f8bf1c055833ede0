#pragma once

#include <string>
#include <vector>

#include "engine/guard/policy.h"

namespace reg {

/// `regengine doctor STORE`: what is damaged in it. Returns the exit code: 0 if nothing is.
int check_store(const std::string& path);

/// `regengine repair STORE`: writes a repaired copy beside it. Returns the exit code.
int run_repair(const std::vector<std::string>& arguments, Guard& guard);

}  // namespace reg
