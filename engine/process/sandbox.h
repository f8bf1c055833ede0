#pragma once

#include "engine/guard/policy.h"
#include "engine/guard/question.h"
#include "engine/process/command.h"

namespace reg::process {

/// How this machine runs the programs of untrusted scripts.
Sandbox sandbox_here();

/// Puts the command into the sandbox if the policy wants it there: Landlock, a temporary folder of its own, a home in
/// the workspace, and an environment without secrets and without the addresses of agents and buses. Call it once the
/// effect, that of the command, was admitted.
void put_into_sandbox(Command& command, const Effect& effect, const Policy& policy);

}  // namespace reg::process
