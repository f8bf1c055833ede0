#pragma once

#include <lua.hpp>

namespace reg::lua {

/// Replaces Lua's own functions that a script could use against the engine: setmetatable without __gc (nothing can stop
/// a finalizer), xpcall that skips its handler after an error of the count hook, and coroutine functions that refuse
/// the engine's own coroutines and limit the depth of the C stack. The libraries must be open.
void guard_base(lua_State* L);

}  // namespace reg::lua
