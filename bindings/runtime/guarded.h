#pragma once

#include <lua.hpp>

namespace reg::lua {

// Lua's own functions, anew where the originals could be used against the engine: they behave as the manual says,
// except that what they do in C ends when the script is to end. The libraries must be open.

/// setmetatable without __gc (a finalizer runs where nothing can stop it), xpcall whose handler is left out where the
/// count hook raised, and coroutine functions that leave the engine's own coroutines alone and know the depth of the C
/// stack.
void guard_base(lua_State* L);

/// find, match, gmatch and gsub whose patterns cannot go on for ever, and rep.
void guard_strings(lua_State* L);

/// insert, remove, move, concat and sort, which a table's metatable could keep busy for ever.
void guard_tables(lua_State* L);

/// Puts `wrapper` in the place of the function `name` in the table on top, which it has as its upvalue from then on.
void wrap(lua_State* L, const char* name, lua_CFunction wrapper);

/// In such a wrapper: the original with all that is on the stack, and its results are the wrapper's.
int call_original(lua_State* L);

}  // namespace reg::lua
