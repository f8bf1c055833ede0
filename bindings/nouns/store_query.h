#pragma once

struct lua_State;

namespace reg::lua {

/// store:query(sql, ...): the rows, as a list of tables.
int store_query(lua_State* L);

}  // namespace reg::lua
