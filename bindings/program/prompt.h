#pragma once

#include "bindings/runtime/vm.h"

namespace reg::lua {

/// The prompt: reads chunks from the terminal, runs each, and shows what it returned, until Ctrl-D. Ctrl-C stops the
/// running chunk; an error ends only its chunk. Returns the program's exit code.
int run_prompt(Loop& loop, Guard& guard, Settings settings);

}  // namespace reg::lua
