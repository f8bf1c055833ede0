#pragma once

#include "bindings/runtime/lua.h"
#include "engine/process/command.h"

namespace reg::lua {

// What reg.process and reg.container share: a command out of an options table, and a run's result as a table.

/// Reads cmd or shell, env, unset, cwd, stdin, timeout_s, out, err and keep_bytes; refuses NUL bytes and a cmd that is
/// no list.
process::Command command_from(lua_State* L, const Options& options);

/// What reg.machine.tune gives to the commands that run while it lives: the variables that `command` does not set
/// itself, and the conditions. (bind_machine.cpp)
void apply_tuning(lua_State* L, process::Command& command);

/// {ok, code, signal, timed_out, oom, stdout, stderr, stdout_bytes, stderr_bytes, wall_s, user_s, sys_s, peak_bytes}
void push_outcome(lua_State* L, const process::Outcome& outcome);

/// The same of a command that a dry run only recorded: all went well, with `dry` set.
void push_dry_outcome(lua_State* L);

}  // namespace reg::lua
