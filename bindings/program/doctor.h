#pragma once

#include <string>

#include "engine/loop/loop.h"

namespace reg {

/// `regengine doctor`: prints one line for each thing the engine can use: whether this machine has it, and if not, what
/// it is needed for. It changes nothing. Returns the exit code, which is 0 even if something is missing.
int run_doctor(Loop& loop);

/// `regengine doctor STORE`: reads all of it. Returns 1 if something is damaged. Throws not_found if there is none.
int check_store(const std::string& path);

}  // namespace reg
