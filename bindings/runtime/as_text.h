#pragma once

#include <lua.hpp>
#include <string_view>

namespace reg::lua {

/// Pushes the value as tostring shows it, and returns that text. What Lua shows by its address has a number instead,
/// the same for as long as the value lives: an address would help a script to attack the engine.
std::string_view push_as_text(lua_State* L, int index);

/// Replaces tostring and string.format.
void guard_addresses(lua_State* L);

}  // namespace reg::lua
