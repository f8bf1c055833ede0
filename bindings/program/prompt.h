#pragma once

#include "bindings/runtime/vm.h"

namespace reg::lua {

/// The prompt: reads chunks from the terminal, runs each, and shows what it returned, until Ctrl-D. Ctrl-C stops the
/// chunk that runs; an error ends its chunk and nothing else. Returns the program's exit code.
int run_prompt(Loop& loop, Guard& guard, Settings settings);

}  // namespace reg::lua
