#pragma once

#include <string>

#include "engine/guard/policy.h"

namespace reg {

/// `regengine recover`: restores what killed engines left changed, and prints it. Returns the exit code: 1 if something
/// could not be restored.
int run_recover(Guard& guard);

/// `regengine --guardian JOURNAL`: the process that an engine starts to have its changes restored, whatever happens.
int run_guardian(const std::string& journal);

}  // namespace reg
