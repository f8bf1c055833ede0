#pragma once

#include <string>

#include "engine/restore/ledger.h"

namespace reg {

/// The ledger of this process. The first call restores what killed engines left changed, and says so in one line. Call
/// Guard::admit first.
restore::Ledger& machine_ledger();

/// Every kind of change and how it is undone, the same for the engine, its guardian and the next start.
restore::Kinds change_kinds();

/// What was changed, for messages: "SM clock of GPU-...", or the file.
std::string change_title(const restore::Entry& entry);

}  // namespace reg
