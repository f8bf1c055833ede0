#pragma once

#include <string>

#include "engine/guard/policy.h"
#include "engine/restore/ledger.h"

namespace reg {

/// The one ledger of this process: what its nouns changed on the machine. The first call puts back what engines that
/// were killed left behind, and says so in a line. Ask Guard::admit before.
restore::Ledger& machine_ledger();

/// `regengine recover`: puts back what engines that were killed left behind, and prints it. Returns the exit code: 1
/// when something could not be put back.
int run_recover(Guard& guard);

/// `regengine --guardian JOURNAL`: what an engine starts to have its changes put back, whatever happens to it.
int run_guardian(const std::string& journal);

}  // namespace reg
