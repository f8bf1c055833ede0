#pragma once

#include <lua.hpp>
#include <optional>
#include <string>

namespace reg::lua {

/// Defines the global `reg`: each name is the public module stdlib/<name>.lua, loaded at its first use, or else the
/// noun of that name. A misspelled name is an error with a suggestion. Modules below stdlib/lib are private to the
/// standard library and its own `require`.
void open_reg(lua_State* L);

/// Pushes an entry point of the standard library, stdlib/lib/program/<name>.lua, as a function. That file says what it
/// takes and returns.
void push_program(lua_State* L, const std::string& name);

/// What the same command, run in the box before, handed over: core.handed().
std::optional<std::string>& handed_over();

// Each fills the table on top of the stack (`core.<noun>`) and declares the noun's classes.
void bind_container(lua_State* L);
void bind_core(lua_State* L);
void bind_cuda(lua_State* L);
void bind_fs(lua_State* L);
void bind_git(lua_State* L);
void bind_gpu(lua_State* L);
void bind_input(lua_State* L);
void bind_json(lua_State* L);
void bind_log(lua_State* L);
void bind_minimize(lua_State* L);
void bind_nsys(lua_State* L);
void bind_nvtx(lua_State* L);
void bind_permissions(lua_State* L);
void bind_process(lua_State* L);
void bind_machine(lua_State* L);
void bind_rehearsal(lua_State* L);
void bind_report(lua_State* L);
void bind_results(lua_State* L);
void bind_search(lua_State* L);
void bind_store(lua_State* L);
void bind_task(lua_State* L);
void bind_time(lua_State* L);
void bind_trace(lua_State* L);
void bind_verify(lua_State* L);

// Fills `core` itself, which scripts do not see.
void bind_container_options(lua_State* L);
void bind_open_worktrees(lua_State* L);
void bind_outputs(lua_State* L);

/// store:query(sql, ...): the rows, as a list of tables.
int store_query(lua_State* L);

// What the noun gpu has for others.

/// Pushes a list of the open results of reg.gpu.lock as { asked =, locked =, why =, gpus = }, for the record of a
/// trial.
void push_gpu_locks(lua_State* L);

/// Pushes a list of the GPUs and instances (MIG) of a word such as "0:1,1", each { index =, instance =, uuid =,
/// name = }.
void push_gpu_parts(lua_State* L, const std::string& which);

/// The words of CUDA_VISIBLE_DEVICES for a list such as "0:1", whose instances CUDA knows by UUID alone. Throws as
/// push_gpu_parts raises.
std::string cuda_words(const std::string& which);

/// A clock for reg.gpu.lock that the model of the first of these GPUs holds under a heavy load.
std::string suggested_clock(const std::string& which);

}  // namespace reg::lua
