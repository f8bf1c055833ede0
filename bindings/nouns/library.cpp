#include "bindings/nouns/bind.h"
#include "bindings/runtime/source.h"
#include "bindings/runtime/vm.h"

namespace reg::lua {
namespace {

char core_key;

std::string stdlib_text(Vm& vm, const std::string& name) {
  const std::string& folder = vm.settings().stdlib_folder;
  if (!folder.empty()) return read_file_if_there(folder + "/" + name + ".lua").value_or("");
  return std::string(find_embedded("stdlib/" + name + ".lua"));
}

// Compiles stdlib/<name>.lua and leaves the function on the stack; false if there is no such file. The file sees the
// script's globals, `core`, and its own `require` for other files of the standard library.
bool compile_stdlib(lua_State* L, const std::string& name) {
  const std::string text = stdlib_text(Vm::of(L), name);
  if (text.empty()) return false;
  if (luaL_loadbufferx(L, text.data(), text.size(), ("=stdlib/" + name + ".lua").c_str(), "t") != LUA_OK)
    throw Error(ErrorKind::internal, lua_tostring(L, -1));
  lua_rawgetp(L, LUA_REGISTRYINDEX, &core_key);
  lua_getfield(L, -1, "environment");
  lua_setupvalue(L, -3, 1);
  lua_pop(L, 1);
  return true;
}

// core.compile(name): nil if the file does not exist.
int compile(lua_State* L) { return compile_stdlib(L, check_string(L, 1, "the file's name")) ? 1 : 0; }

}  // namespace

void open_reg(lua_State* L) {
  lua_createtable(L, 0, 64);  // core
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &core_key);
  for (const auto bind : {bind_core, bind_rehearsal, bind_container_options, bind_open_worktrees, bind_outputs})
    register_functions(L, "core", bind(L));
  register_functions(L, "core", {REG_FUNCTIONS(compile)});

  luaL_getsubtable(L, LUA_REGISTRYINDEX, kClasses);  // the library adds methods to them
  lua_setfield(L, -2, "classes");

  lua_createtable(L, 0, 32);  // nouns
#define REG_BIND(a, b, noun)                    \
  lua_createtable(L, 0, 8);                     \
  register_functions(L, #noun, bind_##noun(L)); \
  lua_setfield(L, -2, #noun);
  REG_FOR(REG_BIND, REG_NOUNS)
  for (const auto bind : {bind_log, bind_permissions, bind_task}) register_functions(L, "", bind(L));
  lua_setfield(L, -2, "nouns");

  // What the stdlib sees: core, its own require, and the script's globals.
  load_chunk(L, "local core = ... core.environment = setmetatable({ core = core }, { __index = _G })", "=stdlib");
  lua_insert(L, -2);
  lua_call(L, 1, 0);

  push_program(L, "boot");
  lua_call(L, 0, 0);
}

void push_program(lua_State* L, const std::string& name) {
  if (!compile_stdlib(L, "lib/program/" + name))
    throw Error(ErrorKind::internal, "the standard library has no program " + name);
}

}  // namespace reg::lua
