#pragma once

#include <string>
#include <vector>

#include "bindings/program/command_line.h"
#include "bindings/runtime/vm.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg {

/// Runs the function on the stack as the main task. Returns the exit code, which the function may return.
int run_main(Loop& loop, lua::Vm& vm, const std::vector<std::string>& arguments);

/// Runs a script or the code of -e: in the box, unless it is the user's own or shipped. Returns its exit code.
int run_script(CommandLine& line, Loop& loop, Guard& guard, lua::Settings settings);

}  // namespace reg
