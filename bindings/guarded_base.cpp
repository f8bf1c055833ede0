#include "bindings/guarded.h"
#include "bindings/vm.h"

namespace reg::lua {
namespace {

constexpr int kInstructionsOfACoroutine = 1000;  // it may end before the count hook sees it

int set_metatable(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int type = lua_type(L, 2);
  if (type != LUA_TNIL && type != LUA_TTABLE) luaL_typeerror(L, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  if (type == LUA_TTABLE) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL)
      return luaL_error(L, "setmetatable: scripts have no __gc; __close, with `local x <close>`, runs at a known time");
    lua_settop(L, 2);
  }
  lua_setmetatable(L, 1);
  return 1;
}

// The handler of an xpcall is its upvalue. When the count hook raises, hooks are off, and nothing could end it.
int handle(lua_State* L) {
  if (Vm::of(L).tasks().stopping()) return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

int end_xpcall(lua_State* L, int status, lua_KContext below) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - static_cast<int>(below);
  lua_pushboolean(L, 0);
  lua_pushvalue(L, -2);
  return 2;
}

int guarded_xpcall(lua_State* L) {
  const int count = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, handle, 1);
  lua_replace(L, 2);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);
  return end_xpcall(L, lua_pcallk(L, count - 2, LUA_MULTRET, 2, 2, end_xpcall), 2);
}

lua_State* own_coroutine(lua_State* L) {
  lua_State* thread = lua_tothread(L, 1);
  if (thread == nullptr) luaL_typeerror(L, 1, "coroutine");
  if (Tasks::is_task(L, 1)) luaL_error(L, "this coroutine is a task: only the engine resumes and closes it");
  return thread;
}

int refuse(lua_State* L, const char* why) {
  lua_pushboolean(L, 0);
  lua_pushstring(L, why);
  return 2;
}

int resume(lua_State* L) {
  lua_State* thread = own_coroutine(L);
  const int arguments = lua_gettop(L) - 1;
  if (lua_checkstack(thread, arguments) == 0) return refuse(L, "too many arguments to resume");
  lua_xmove(L, thread, arguments);
  int results = 0;
  const int status = lua_resume(thread, L, arguments, &results);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_pushboolean(L, 0);
    lua_xmove(thread, L, 1);
    return 2;
  }
  if (lua_checkstack(L, results + 1) == 0) {
    lua_pop(thread, results);
    return refuse(L, "too many results to resume");
  }
  lua_pushboolean(L, 1);
  lua_xmove(thread, L, results);
  return results + 1;
}

int make_coroutine(lua_State* L) {
  Vm::of(L).tasks().charge(L, kInstructionsOfACoroutine);
  return call_original(L);
}

int close_coroutine(lua_State* L) {
  own_coroutine(L);
  return call_original(L);
}

}  // namespace

void wrap(lua_State* L, const char* name, lua_CFunction wrapper) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, wrapper, 1);
  lua_setfield(L, -2, name);
}

int call_original(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

void guard_base(lua_State* L) {
  lua_register(L, "setmetatable", set_metatable);
  lua_register(L, "xpcall", guarded_xpcall);
  lua_getglobal(L, LUA_COLIBNAME);
  lua_pushcfunction(L, resume);
  lua_setfield(L, -2, "resume");
  wrap(L, "create", make_coroutine);
  wrap(L, "wrap", make_coroutine);
  wrap(L, "close", close_coroutine);
  lua_pop(L, 1);
}

}  // namespace reg::lua
