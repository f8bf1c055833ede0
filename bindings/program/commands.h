#pragma once

#include <string>
#include <vector>

#include "bindings/program/command_line.h"
#include "bindings/runtime/vm.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

// What the program does. Each returns the exit code.

namespace reg {

/// `regengine doctor`: prints one line for each thing the engine can use: whether this machine has it, and if not, what
/// it is needed for. It changes nothing. The exit code is 0 even if something is missing.
int run_doctor(Loop& loop);

/// `regengine doctor STORE`: reads all of it. Returns 1 if something is damaged. Throws not_found if there is none.
int check_store(const std::string& path);

/// `regengine gc [--remove]`: lists what regengine made in this folder and nothing needs, and removes it if told so by
/// the option or at the terminal. Returns 1 if something could not be removed.
int run_gc(const std::vector<std::string>& words, Loop& loop, Guard& guard);

/// The prompt: reads chunks from the terminal, runs each, and shows what it returned, until Ctrl-D. Ctrl-C stops the
/// running chunk; an error ends only its chunk.
int run_prompt(Loop& loop, Guard& guard, lua::Settings settings);

/// Runs the function on the stack as the main task. Returns the exit code, which the function may return.
int run_main(Loop& loop, lua::Vm& vm, const std::vector<std::string>& arguments);

/// Runs a script or the code of -e: in the box, unless it is the user's own or shipped. Returns its exit code.
int run_script(CommandLine& line, Loop& loop, Guard& guard, lua::Settings settings);

}  // namespace reg
