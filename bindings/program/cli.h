#pragma once

namespace reg {

/// The program `regengine`: reads the command line, runs a script, a chunk, the prompt or `doctor`, and returns the
/// exit code: 0 answered, 1 the machinery failed, 2 misuse, 3 unresolved (a script's own `return 3`), 130 stopped by
/// Ctrl-C.
int run_program(int argc, char** argv);

}  // namespace reg
