#pragma once

#include <lua.hpp>
#include <string>
#include <string_view>

namespace reg::lua {

/// The value at `index` as JSON text: tables with keys 1..n become arrays, others objects with sorted keys (equal
/// tables give equal text); an empty table becomes {}. reg.json.null is null. Throws a usage Error with the path of a
/// value that has no JSON form (a function, NaN, a cycle).
std::string to_json(lua_State* L, int index, int indent = -1);

/// Pushes the value of a JSON text; null becomes reg.json.null, or nil if `nulls` is false. Throws corrupt with the
/// byte of the error.
void push_json(lua_State* L, std::string_view text, bool nulls = true);

/// Marks the table on top of the stack as a list, so that it becomes [] even if it is empty.
void mark_json_array(lua_State* L);

/// Pushes reg.json.null.
void push_json_null(lua_State* L);

/// Pushes the value as tostring shows it, and returns that text. What Lua shows by its address has a number instead,
/// the same for as long as the value lives: an address would help a script to attack the engine.
std::string_view push_as_text(lua_State* L, int index);

}  // namespace reg::lua
