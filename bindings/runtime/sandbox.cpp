#include "bindings/runtime/sandbox.h"

#include "bindings/runtime/as_text.h"
#include "bindings/runtime/guarded.h"
#include "bindings/runtime/lua.h"
#include "bindings/runtime/modules.h"

namespace reg::lua {
namespace {

// load(chunk, name, mode, env), text only: bytecode can crash the interpreter.
int safe_load(lua_State* L) {
  lua_settop(L, 4);
  const bool has_env = !lua_isnil(L, 4);
  lua_pushliteral(L, "t");
  lua_replace(L, 3);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  if (!has_env) lua_settop(L, 4);
  lua_call(L, lua_gettop(L) - 1, 2);
  return 2;
}

void remove_fields(lua_State* L, const char* table, std::initializer_list<const char*> names) {
  lua_getglobal(L, table);
  for (const char* name : names) {
    lua_pushnil(L);
    lua_setfield(L, -2, name);
  }
  lua_pop(L, 1);
}

void keep_fields(lua_State* L, const char* table, std::initializer_list<const char*> names) {
  lua_createtable(L, 0, static_cast<int>(names.size()));
  lua_getglobal(L, table);
  for (const char* name : names) {
    lua_getfield(L, -1, name);
    lua_setfield(L, -3, name);
  }
  lua_pop(L, 1);
  lua_setglobal(L, table);
}

}  // namespace

void open_sandbox(lua_State* L) {
  const luaL_Reg libraries[] = {
      {LUA_GNAME, luaopen_base},       {LUA_STRLIBNAME, luaopen_string}, {LUA_TABLIBNAME, luaopen_table},
      {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8},  {LUA_COLIBNAME, luaopen_coroutine},
      {LUA_OSLIBNAME, luaopen_os},
  };
  for (const luaL_Reg& library : libraries) {
    luaL_requiref(L, library.name, library.func, 1);
    lua_pop(L, 1);
  }
  remove_fields(L, LUA_GNAME, {"dofile", "loadfile"});
  remove_fields(L, "string", {"dump"});
  keep_fields(L, "os", {"time", "date", "clock", "difftime"});

  guard_base(L);
  guard_addresses(L);

  lua_getglobal(L, "load");
  lua_pushcclosure(L, safe_load, 1);
  lua_setglobal(L, "load");

  lua_pushglobaltable(L);
  register_functions(L, "", {{"require", require_module}});
  lua_pop(L, 1);
}

void seed_random(lua_State* L, std::int64_t seed) {
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  push(L, seed);
  lua_call(L, 1, 0);
  lua_pop(L, 1);
}

}  // namespace reg::lua
