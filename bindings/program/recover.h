#pragma once

#include <string>

#include "engine/guard/policy.h"

namespace reg {

/// `regengine recover`: puts back what engines that were killed left behind, and prints it. Returns the exit code: 1
/// when something could not be put back.
int run_recover(Guard& guard);

/// `regengine --guardian JOURNAL`: what an engine starts to have its changes put back, whatever happens to it.
int run_guardian(const std::string& journal);

}  // namespace reg
