#include "bindings/sandbox.h"

#include <algorithm>
#include <filesystem>

#include "bindings/guarded.h"
#include "bindings/permissions.h"
#include "bindings/vm.h"
#include "engine/base/file.h"

namespace reg::lua {
namespace {

// load(chunk, name, mode, env), text only: bytecode can break the interpreter itself.
int safe_load(lua_State* L) {
  lua_settop(L, 4);
  if (lua_type(L, 1) == LUA_TSTRING)
    Vm::of(L).tasks().charge(L, static_cast<std::int64_t>(lua_rawlen(L, 1)));  // which is compiled without a breath
  const bool has_env = !lua_isnil(L, 4);
  lua_pushliteral(L, "t");
  lua_replace(L, 3);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  if (!has_env) lua_settop(L, 4);
  lua_call(L, lua_gettop(L) - 1, 2);
  return 2;
}

std::filesystem::path folder_of(const std::string& script) {
  const auto folder = std::filesystem::path(script).parent_path();
  return folder.empty() ? "." : folder;
}

int run_require(lua_State* L) {
  const std::string name = check_string(L, 1, "the module's name");
  const bool plain = !name.empty() && name.find("..") == std::string::npos && name.front() != '.' &&
                     name.back() != '.' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
                     });
  if (!plain)
    throw misuse(L, "'" + name + "' is no module name", "letters, digits, '_' and '-', with dots for folders");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, 2, name.c_str()) != LUA_TNIL) return 1;

  std::string relative = name;
  std::replace(relative.begin(), relative.end(), '.', '/');
  Settings& settings = Vm::of(L).settings();
  std::string path = (folder_of(settings.script_name) / (relative + ".lua")).string();
  Module module;
  if (const auto shared = settings.modules.find(name); shared != settings.modules.end()) {
    module = shared->second;
    path = settings.script_name == "-" ? "stdin" : settings.script_name;
  } else if (auto text = read_file_if_there(path)) {
    module.text = std::move(*text);
  } else {
    throw Error(ErrorKind::not_found, "require: no file " + path,
                "require finds Lua files that lie beside the script; the stdlib is already there as reg.*");
  }
  join_script(Vm::of(L).guard().policy(), path, module.text);
  settings.required.emplace_back(name, module.text);
  load_chunk(L, module.text, "@" + path, module.first_line);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  if (lua_isnil(L, -1)) push(L, true);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name.c_str());
  return 1;
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
  guard_strings(L);
  guard_tables(L);

  lua_getglobal(L, "load");
  lua_pushcclosure(L, safe_load, 1);
  lua_setglobal(L, "load");

  lua_pushglobaltable(L);
  register_functions(L, "", {{"require", run_require}});
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
