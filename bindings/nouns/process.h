#pragma once

#include <optional>

#include "bindings/runtime/lua.h"
#include "engine/process/command.h"

namespace reg::lua {

// Shared by reg.process and reg.container: a command from an options table, and a run's result as a table.

/// Reads cmd or shell, env, unset, cwd, stdin, timeout_s, out, err, keep_bytes and loaded_below. Throws usage for NUL
/// bytes and for a cmd that is not a list.
process::Command command_from(lua_State* L, const Options& options);

/// Applies the open tunings of reg.machine.tune: environment variables that `command` does not set itself, and
/// conditions. (bind_machine.cpp)
void apply_tuning(lua_State* L, process::Command& command);

/// {ok, code, signal, timed_out, oom, stdout, stderr, stdout_bytes, stderr_bytes, wall_s, user_s, sys_s, peak_bytes,
/// loaded if anything was seen}
void push_outcome(lua_State* L, const process::Outcome& outcome);

/// The same for a command that a dry run only recorded: success, with `dry` set.
void push_dry_outcome(lua_State* L);

/// The option `lease` of a command, a result of reg.gpu.lease. It has no CPUs if the command is placed on some already,
/// by reg.machine.tune. Throws usage for a closed lease, and if `env` chooses GPUs too.
std::optional<process::Leased> leased_option(lua_State* L, const Options& options,
                                             const process::Conditions& conditions);

}  // namespace reg::lua
