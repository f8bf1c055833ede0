#pragma once

#include <string>

#include "engine/restore/ledger.h"

namespace reg {

/// The ledger of this process: what its nouns changed on the machine. The first call restores what engines that were
/// killed left changed, and says so in one line. Ask Guard::admit before.
restore::Ledger& machine_ledger();

/// Every kind of change, and how it is undone: the engine, its guardian and the next start must agree.
restore::Kinds change_kinds();

/// What was changed, in words: "SM clock of GPU-...", or the file.
std::string change_title(const restore::Entry& entry);

}  // namespace reg
