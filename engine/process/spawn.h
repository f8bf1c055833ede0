#pragma once

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/process/command.h"

namespace reg::process {

/// A command that was started: its pid, which nobody has waited for yet, and our ends of its pipes.
struct Child {
  pid_t pid = -1;
  Fd in;  ///< only where the command has input
  Fd out;
  Fd err;
};

/// Starts it as the leader of a session of its own, with default signal handling. If this engine dies, it is killed, or
/// with Command::alone asked to end by TERM.
/// `mark` becomes REGENGINE_RUN in its environment; without one, REGENGINE_CLIENT names this engine. Throws not_found,
/// permission or io. `counter`: that of Command::count, to be received from the child then; nullptr without one.
Child spawn(Loop& loop, const Command& command, const std::string& mark, const Counter* counter);

}  // namespace reg::process
