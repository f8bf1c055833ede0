#pragma once

#include "engine/guard/effect.h"
#include "engine/process/command.h"

namespace reg::process {

/// What running the command reaches. Its program is known by the name in argv[0] where the engine's own PATH leads
/// there, and else by its path: neither the command's PATH nor a folder of the script's turns "make" into something
/// else. A variable that makes programs load or run others (LD_PRELOAD, PATH, GIT_SSH_COMMAND, ...) is a need of its
/// own, "LD_PRELOAD=", and so are each file that output goes to and both ends of each mount.
Effect effect_of(const Command& command);

}  // namespace reg::process
