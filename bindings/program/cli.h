#pragma once

namespace reg {

/// The program `regengine`: parses the command line, runs a script, a chunk, the prompt or a subcommand, and returns
/// the exit code: 0 answered, 1 failure, 2 usage error, 3 inconclusive (a script's own `return 3`), 130 stopped by
/// Ctrl-C.
int run_program(int argc, char** argv);

}  // namespace reg
