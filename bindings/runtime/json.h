#pragma once

#include <lua.hpp>
#include <string>
#include <string_view>

namespace reg::lua {

/// The value at `index` as JSON text: tables with 1..n keys are arrays, others objects with sorted keys (so that equal
/// tables give equal text); an empty table is {}. reg.json.null is null. Throws a usage Error naming the path of what
/// has no JSON form (a function, NaN, a cycle).
std::string to_json(lua_State* L, int index, int indent = -1);

/// Pushes the value of a JSON text; null becomes reg.json.null, or nil where `nulls` is false. Throws corrupt with the
/// byte where it broke.
void push_json(lua_State* L, std::string_view text, bool nulls = true);

/// Marks the table on top of the stack as a list, so that it is [] even while it is empty.
void mark_json_array(lua_State* L);

/// Pushes reg.json.null.
void push_json_null(lua_State* L);

}  // namespace reg::lua
