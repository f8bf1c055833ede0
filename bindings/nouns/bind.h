#pragma once

#include <lua.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bindings/runtime/lua.h"
#include "engine/process/command.h"
#include "engine/restore/ledger.h"

namespace reg {

/// The ledger of this process. The first call restores what killed engines left changed, and says so in one line. Call
/// Guard::admit first.
restore::Ledger& machine_ledger();

/// Every kind of change and how it is undone, the same for the engine, its guardian and the next start.
restore::Kinds change_kinds();

/// What was changed, for messages: "SM clock of GPU-...", or the file.
std::string change_title(const restore::Entry& entry);

}  // namespace reg

namespace reg::lua {

/// Defines the global `reg`: each name is the public module stdlib/<name>.lua, loaded at its first use, or else the
/// noun of that name. A misspelled name is an error with a suggestion. Modules below stdlib/lib are private to the
/// standard library and its own `require`.
void open_reg(lua_State* L);

/// Pushes an entry point of the standard library, stdlib/lib/program/<name>.lua, as a function. That file says what it
/// takes and returns.
void push_program(lua_State* L, const std::string& name);

// The nouns. Each bind_<noun> declares the noun's classes and returns its functions. It may add what is not a function
// to the table on top of the stack, `core.nouns.<noun>`.
#define REG_NOUNS                                                                                                     \
  container, cuda, fs, git, gpu, json, machine, minimize, nvtx, process, report, results, search, store, time, trace, \
      verify
#define REG_DECLARE(a, b, noun) std::vector<Function> bind_##noun(lua_State* L);
REG_FOR(REG_DECLARE, REG_NOUNS)

// The same for `core.nouns` itself.
std::vector<Function> bind_log(lua_State* L);
std::vector<Function> bind_permissions(lua_State* L);
std::vector<Function> bind_task(lua_State* L);

// The same for `core`, which scripts do not see.
std::vector<Function> bind_container_options(lua_State* L);
std::vector<Function> bind_core(lua_State* L);
std::vector<Function> bind_open_worktrees(lua_State* L);
std::vector<Function> bind_outputs(lua_State* L);
std::vector<Function> bind_rehearsal(lua_State* L);

/// store:query(sql, ...): the rows, as a list of tables.
int store_query(lua_State* L);

// What the noun gpu has for others.

/// machine.gpu_locks(): a list of the open results of reg.gpu.lock as { asked =, locked =, why =, gpus = }, for the
/// record of a trial. Not in reg.gpu: scripts hold their locks themselves.
int gpu_locks(lua_State* L);

/// machine.gpu_parts(which): a list of the GPUs and instances (MIG) of a word such as "0:1,1", which a trial can have
/// for itself, each { index =, instance =, uuid =, name = }.
int gpu_parts(lua_State* L);

/// The words of CUDA_VISIBLE_DEVICES for a list such as "0:1", whose instances CUDA knows by UUID alone. Throws as
/// gpu_parts raises.
std::string cuda_words(const std::string& which);

/// A clock for reg.gpu.lock that the model of the first of these GPUs holds under a heavy load.
std::string suggested_clock(const std::string& which);

// Shared by reg.process and reg.container: a command from an options table, and a run's result as a table.

/// Reads cmd or shell, env, unset, cwd, stdin, timeout_s, out, err, keep_bytes and loaded_below. Throws usage for NUL
/// bytes and for a cmd that is not a list.
process::Command command_from(lua_State* L, const Options& options);

/// Applies the open tunings of reg.machine.tune: environment variables that `command` does not set itself, and
/// CPUs. (bind_machine.cpp)
void apply_tuning(lua_State* L, process::Command& command);

/// {ok, code, signal, timed_out, oom, stdout, stderr, stdout_bytes, stderr_bytes, wall_s, user_s, sys_s, peak_bytes,
/// loaded if anything was seen}
void push_outcome(lua_State* L, const process::Outcome& outcome);

/// The option `lease` of a command, a result of reg.gpu.lease. It has no CPUs if the command is placed on some already,
/// by reg.machine.tune. Throws usage for a closed lease, and if `env` chooses GPUs too.
std::optional<process::Leased> leased_option(lua_State* L, const Options& options, const process::Command& command);

}  // namespace reg::lua
