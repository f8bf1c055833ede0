#pragma once

#include "engine/guard/question.h"
#include "engine/process/command.h"

namespace reg::process {

/// How this machine runs the programs of untrusted scripts.
SandboxSupport sandbox_support();

/// Makes the sandbox of a command that has bounds (Policy::bounds): Landlock, a temporary folder of its own, a home in
/// the workspace, and an environment without secrets and without the addresses of agents and buses. run() does so.
void put_into_sandbox(Command& command);

}  // namespace reg::process
