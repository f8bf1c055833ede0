#include "bindings/runtime/as_text.h"

#include <string>

#include "bindings/runtime/lua.h"

namespace reg::lua {
namespace {

char numbers_key;  // registry: the values that were shown, and their numbers

lua_Integer number_of(lua_State* L, int index) {
  static lua_Integer last = 0;  // over all states of this process
  push_weak_table(L, &numbers_key);
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushvalue(L, index);
    lua_pushinteger(L, ++last);
    lua_rawset(L, -3);
    lua_pushinteger(L, last);
  }
  const lua_Integer number = lua_tointeger(L, -1);
  lua_pop(L, 2);
  return number;
}

bool has_address(lua_State* L, int index) {
  const int type = lua_type(L, index);
  if (type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING) return false;
  if (luaL_getmetafield(L, index, "__tostring") == LUA_TNIL) return true;
  lua_pop(L, 1);
  return false;
}

int to_string(lua_State* L) {
  luaL_checkany(L, 1);
  push_as_text(L, 1);
  return 1;
}

// The arguments of a format's %s are shown here; %p shows an address whatever its argument is.
int format(lua_State* L) {
  std::size_t size = 0;
  const char* data = luaL_checklstring(L, 1, &size);
  const std::string_view text(data, size);
  int argument = 1;
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    at = text.find_first_not_of("-+#0 123456789.", at + 1);
    if (at == std::string_view::npos) break;
    if (text[at] == '%') continue;
    ++argument;
    if (text[at] == 'p') return luaL_error(L, "invalid conversion '%%p' to 'format': addresses are not shown");
    if (text[at] != 's' || argument > lua_gettop(L) || !has_address(L, argument)) continue;
    push_as_text(L, argument);
    lua_replace(L, argument);
  }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);  // in this call, so that its errors name the caller's line
}

}  // namespace

std::string_view push_as_text(lua_State* L, int index) {
  index = lua_absindex(L, index);
  std::size_t size = 0;
  if (!has_address(L, index)) {
    const char* data = luaL_tolstring(L, index, &size);
    return {data, size};
  }
  const lua_Integer number = number_of(L, index);
  const int name = luaL_getmetafield(L, index, "__name");  // nothing is pushed where there is none
  const bool named = name == LUA_TSTRING;
  lua_pushfstring(L, "%s: %I", named ? lua_tostring(L, -1) : luaL_typename(L, index), number);
  if (name != LUA_TNIL) lua_remove(L, -2);
  const char* data = lua_tolstring(L, -1, &size);
  return {data, size};
}

void guard_addresses(lua_State* L) {
  lua_register(L, "tostring", to_string);
  lua_getglobal(L, LUA_STRLIBNAME);
  lua_getfield(L, -1, "format");
  lua_pushcclosure(L, format, 1);
  lua_setfield(L, -2, "format");
  lua_pop(L, 1);
}

}  // namespace reg::lua
