#pragma once

#include <lua.hpp>

namespace reg::lua {

// Replacements for Lua's own functions that a script could use against the engine: they behave as the manual says, but
// their work in C stops when the script is stopped. The libraries must be open.

/// setmetatable without __gc (nothing can stop a finalizer), xpcall that skips its handler after an error of the count
/// hook, and coroutine functions that refuse the engine's own coroutines and limit the depth of the C stack.
void guard_base(lua_State* L);

/// find, match, gmatch and gsub with a limit on the steps of a pattern, and rep.
void guard_strings(lua_State* L);

/// insert, remove, move, concat and sort, which a table's metatable could make run forever.
void guard_tables(lua_State* L);

/// Replaces the function `name` in the table on top of the stack by `wrapper`, whose upvalue is the original.
void wrap(lua_State* L, const char* name, lua_CFunction wrapper);

/// In such a wrapper: calls the original with all arguments and returns its results.
int call_original(lua_State* L);

}  // namespace reg::lua
