#include <lua.hpp>

#include "bindings/runtime/json.h"
#include "bindings/runtime/lua.h"
#include "bindings/runtime/source.h"
#include "bindings/runtime/vm.h"

namespace reg::lua {
namespace {

constexpr std::size_t kMaxStack = std::size_t{2} << 20;  // of C; Lua needs a quarter of that in addition

// In a wrapper, whose upvalue is Lua's own function: calls it with all arguments and returns its results.
int call_original(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

int set_metatable(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int type = lua_type(L, 2);
  if (type != LUA_TNIL && type != LUA_TTABLE) luaL_typeerror(L, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  lua_pushliteral(L, "__gc");
  if (type == LUA_TTABLE && lua_rawget(L, 2) != LUA_TNIL)
    return luaL_error(L, "setmetatable: __gc is not available to scripts; use __close with `local x <close>`");
  lua_settop(L, 2);
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

int resume(lua_State* L) {
  own_coroutine(L);
  return call_original(L);
}

// Lua does not track the depth of the C stack when one coroutine closes another, so it is checked here.
void check_depth(lua_State* L) {
  if (Vm::of(L).tasks().stack_used() > kMaxStack) luaL_error(L, "C stack overflow");
}

int close_coroutine(lua_State* L) {
  if (Tasks::died_without_hooks(own_coroutine(L))) {
    lua_pushboolean(L, 0);
    lua_pushliteral(L, "stopped");
    return 2;
  }
  check_depth(L);
  return call_original(L);
}

// The function that coroutine.wrap returns; its upvalues are Lua's own resume and the coroutine. An error closes the
// coroutine's variables and is raised again here.
int call_wrapped(lua_State* L) {
  lua_State* thread = lua_tothread(L, lua_upvalueindex(2));
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  const int results = call_original(L);
  if (lua_toboolean(L, 1) != 0) return results - 1;
  const int status = lua_status(thread);
  if (status != LUA_OK && status != LUA_YIELD && !Tasks::died_without_hooks(thread)) {
    check_depth(L);
    if (lua_resetthread(thread) != LUA_OK) lua_xmove(thread, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

// Its upvalue is Lua's own resume.
int wrap_function(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_State* thread = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, thread, 1);
  lua_pushcclosure(L, call_wrapped, 2);
  return 1;
}

int to_string(lua_State* L) {
  luaL_checkany(L, 1);
  push_as_text(L, 1);
  return 1;
}

// The arguments of a format's %s are shown here; %p shows an address whatever its argument is.
int format(lua_State* L) {
  luaL_checkstring(L, 1);
  const std::string_view text = view_at(L, 1);
  int argument = 1;
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    at = text.find_first_not_of("-+#0 123456789.", at + 1);
    if (at == std::string_view::npos) break;
    if (text[at] == '%') continue;
    ++argument;
    if (text[at] == 'p') return luaL_error(L, "invalid conversion '%%p' to 'format': addresses are not shown");
    if (text[at] != 's' || argument > lua_gettop(L)) continue;
    push_as_text(L, argument);
    lua_replace(L, argument);
  }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);  // in this call, so that its errors name the caller's line
}

// Replaces the function `name` in the table on top of the stack by `wrapper`, whose upvalue is Lua's `original`.
void wrap(lua_State* L, const char* name, lua_CFunction wrapper, const char* original) {
  lua_getfield(L, -1, original);
  lua_pushcclosure(L, wrapper, 1);
  lua_setfield(L, -2, name);
}

// load(chunk, name, mode, env), text only: bytecode can crash the interpreter.
int safe_load(lua_State* L) {
  lua_settop(L, lua_isnoneornil(L, 4) ? 3 : 4);
  lua_pushliteral(L, "t");
  lua_replace(L, 3);
  return call_original(L);
}

// Replaces Lua's own functions that a script could use against the engine: setmetatable without __gc (nothing can stop
// a finalizer), xpcall that skips its handler after an error of the count hook, load of text alone, coroutine functions
// that refuse the engine's own coroutines and limit the depth of the C stack, and what would show addresses. The
// libraries must be open.
void guard_base(lua_State* L) {
  lua_pushglobaltable(L);
  register_functions(L, "", {{"require", require_module}});
  wrap(L, "load", safe_load, "load");
  lua_register(L, "xpcall", guarded_xpcall);
  lua_register(L, "setmetatable", set_metatable);
  lua_register(L, "tostring", to_string);
  lua_getglobal(L, LUA_STRLIBNAME);
  wrap(L, "format", format, "format");
  lua_getglobal(L, LUA_COLIBNAME);
  wrap(L, "wrap", wrap_function, "resume");
  wrap(L, "resume", resume, "resume");
  wrap(L, "close", close_coroutine, "close");
  lua_pop(L, 3);
}

// Takes out what would bypass the Guard: in place, since `require` finds the tables of the libraries, too. And seeds
// random numbers with its argument.
constexpr const char* kBegin = R"(
  dofile, loadfile, string.dump = nil
  local kept = { time = true, date = true, clock = true, difftime = true }
  for name in pairs(os) do
    if not kept[name] then os[name] = nil end
  end
  math.randomseed(...)
)";

}  // namespace

void open_sandbox(lua_State* L, std::int64_t seed) {
  const luaL_Reg libraries[] = {
      {LUA_GNAME, luaopen_base},       {LUA_STRLIBNAME, luaopen_string}, {LUA_TABLIBNAME, luaopen_table},
      {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8},  {LUA_COLIBNAME, luaopen_coroutine},
      {LUA_OSLIBNAME, luaopen_os},
  };
  for (const luaL_Reg& library : libraries) {
    luaL_requiref(L, library.name, library.func, 1);
    lua_pop(L, 1);
  }
  load_chunk(L, kBegin, "=sandbox");
  push(L, seed);
  lua_call(L, 1, 0);
  guard_base(L);
}

}  // namespace reg::lua
