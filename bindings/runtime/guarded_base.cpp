#include "bindings/runtime/guarded.h"
#include "bindings/runtime/vm.h"

namespace reg::lua {
namespace {

constexpr int kCostOfACoroutine = 1000;                  // in instructions: it may end before the count hook sees it
constexpr std::size_t kMaxStack = std::size_t{2} << 20;  // of C; Lua needs a quarter of that in addition

int set_metatable(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int type = lua_type(L, 2);
  if (type != LUA_TNIL && type != LUA_TTABLE) luaL_typeerror(L, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  if (type == LUA_TTABLE) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL)
      return luaL_error(L, "setmetatable: __gc is not available to scripts; use __close with `local x <close>`");
    lua_settop(L, 2);
  }
  lua_setmetatable(L, 1);
  return 1;
}

// The upvalue is the handler of an xpcall. After an error of the count hook, hooks are off and nothing could stop it.
int handle(lua_State* L) {
  if (Tasks::has_raised(L)) return 1;
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
  if (Tasks::is_task(L, 1)) luaL_error(L, "this coroutine is a task; only the engine may resume or close it");
  return thread;
}

// Resumes `thread` with the values on L from `first` on. Leaves its results on L and returns their count; on failure,
// leaves the error and returns -1.
int resume_thread(lua_State* L, lua_State* thread, int first) {
  const int arguments = lua_gettop(L) - first + 1;
  if (lua_checkstack(thread, arguments) == 0) return lua_pushliteral(L, "too many arguments to resume"), -1;
  lua_xmove(L, thread, arguments);
  int results = 0;
  const int status = lua_resume(thread, L, arguments, &results);
  if (status != LUA_OK && status != LUA_YIELD) return lua_xmove(thread, L, 1), -1;
  if (lua_checkstack(L, results + 1) == 0) {
    lua_pop(thread, results);
    return lua_pushliteral(L, "too many results to resume"), -1;
  }
  lua_xmove(thread, L, results);
  return results;
}

int resume(lua_State* L) {
  const int results = resume_thread(L, own_coroutine(L), 2);
  lua_pushboolean(L, results >= 0);
  const int pushed = results < 0 ? 1 : results;
  lua_insert(L, -pushed - 1);
  return pushed + 1;
}

// Closes the variables of `thread` and leaves the error if there is one. Lua does not track the depth of the C stack
// when one coroutine closes another, so it is checked here.
int close_thread(lua_State* L, lua_State* thread) {
  if (Tasks::died_without_hooks(thread)) return lua_pushliteral(L, "stopped"), LUA_ERRRUN;
  if (Vm::of(L).tasks().stack_used() > kMaxStack) luaL_error(L, "C stack overflow");
  const int status = lua_resetthread(thread);
  if (status != LUA_OK) lua_xmove(thread, L, 1);
  return status;
}

int close_coroutine(lua_State* L) {
  lua_State* thread = own_coroutine(L);
  lua_Debug info;
  const int status = lua_status(thread);
  const bool runs = thread == L || (status == LUA_OK && lua_getstack(thread, 0, &info) != 0);
  if (runs) return luaL_error(L, "cannot close a %s coroutine", thread == L ? "running" : "normal");
  if (close_thread(L, thread) == LUA_OK) return lua_pushboolean(L, 1), 1;
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

int create(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  Vm::of(L).tasks().charge(L, kCostOfACoroutine);
  lua_State* thread = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, thread, 1);
  return 1;
}

// The function that coroutine.wrap returns. An error closes the coroutine's variables and is raised again here.
int call_wrapped(lua_State* L) {
  lua_State* thread = lua_tothread(L, lua_upvalueindex(1));
  const int results = resume_thread(L, thread, 1);
  if (results >= 0) return results;
  int status = lua_status(thread);
  if (status != LUA_OK && status != LUA_YIELD) status = close_thread(L, thread);
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

int wrap_function(lua_State* L) {
  create(L);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
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
  const luaL_Reg functions[] = {
      {"create", create}, {"wrap", wrap_function}, {"resume", resume}, {"close", close_coroutine}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}

}  // namespace reg::lua
