#pragma once

#include <optional>

#include "bindings/runtime/lua.h"
#include "engine/process/command.h"

namespace reg::lua {

/// The option `lease` of a command, a result of reg.gpu.lease. It has no CPUs if the command is placed on some already,
/// by reg.machine.tune. Throws usage for a closed lease, and if `env` chooses GPUs too.
std::optional<process::Leased> leased_option(lua_State* L, const Options& options,
                                             const process::Conditions& conditions);

}  // namespace reg::lua
