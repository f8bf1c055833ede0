#pragma once

#include <string>
#include <vector>

#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg {

/// `regengine gc [--remove]`: lists what regengine made in this folder and nothing needs, and removes it if told so by
/// the option or at the terminal. Returns the exit code: 1 if something could not be removed.
int run_gc(const std::vector<std::string>& words, Loop& loop, Guard& guard);

}  // namespace reg
