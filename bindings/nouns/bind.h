#pragma once

#include <lua.hpp>

namespace reg::lua {

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

}  // namespace reg::lua
