#pragma once

#include "engine/loop/loop.h"

namespace reg {

/// `regengine doctor`: prints what this machine has of the parts the engine can use, what it lacks, and what each lack
/// costs, a line each. It looks and changes nothing. Returns the exit code, 0: a lack is an answer.
int run_doctor(Loop& loop);

}  // namespace reg
