
#include <algorithm>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/source.h"
#include "bindings/runtime/vm.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::lua {
namespace {

char core_key;

void push_core(lua_State* L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &core_key); }

// A public module's name has letters and '_'; a private one begins with lib/ and may have slashes.
bool is_public_name(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0 || c == '_'; });
}

bool is_private_name(std::string_view name) {
  return name.starts_with("lib/") && std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::islower(c) != 0 || c == '_' || c == '/';
         });
}

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
  push_core(L);
  lua_getfield(L, -1, "environment");
  lua_setupvalue(L, -3, 1);
  lua_pop(L, 1);
  return true;
}

// Runs the file once and leaves its cached result on the stack. `cache` is a table in `core`.
bool push_module(lua_State* L, const std::string& name, const char* cache) {
  push_core(L);
  lua_getfield(L, -1, cache);
  push(L, name);
  if (lua_rawget(L, -2) != LUA_TNIL) return true;
  lua_pop(L, 1);
  if (!compile_stdlib(L, name)) return false;
  lua_call(L, 0, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, name.c_str());
  return true;
}

// Pushes `reg.<name>`: the public module of that name, else the noun.
bool push_member(lua_State* L, const std::string& name) {
  if (!is_public_name(name)) return false;
  const int top = lua_gettop(L);
  if (push_module(L, name, "loaded")) return true;
  lua_settop(L, top);
  push_core(L);
  lua_getfield(L, -1, "nouns");
  if (lua_getfield(L, -1, name.c_str()) == LUA_TNIL) return false;
  lua_getfield(L, -3, "loaded");
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, name.c_str());
  lua_pop(L, 1);
  return true;
}

std::vector<std::string> member_names(lua_State* L) {
  constexpr std::string_view folder = "stdlib/", extension = ".lua";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kEmbeddedCount; ++i) {
    std::string_view file = kEmbedded[i].name;
    if (!file.starts_with(folder) || !file.ends_with(extension)) continue;
    file = file.substr(folder.size(), file.size() - folder.size() - extension.size());
    if (is_public_name(file)) names.emplace_back(file);
  }
  push_core(L);
  lua_getfield(L, -1, "nouns");
  lua_pushnil(L);
  for (; lua_next(L, -2) != 0; lua_pop(L, 1)) names.emplace_back(lua_tostring(L, -2));
  lua_pop(L, 2);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

int index_reg(lua_State* L) {
  const std::string name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  if (push_member(L, name)) return 1;
  throw Error(ErrorKind::usage, "reg has no '" + name + "'" + did_you_mean(name, member_names(L)));
}

int newindex_reg(lua_State* L) {
  throw Error(ErrorKind::usage, "reg is read-only",
              std::string("Keep '") + luaL_tolstring(L, 2, nullptr) + "' in a local variable.");
}

int pairs_reg(lua_State* L) {
  lua_getglobal(L, "next");
  lua_createtable(L, 0, 0);
  for (const std::string& name : member_names(L)) {
    if (push_member(L, name)) lua_setfield(L, 3, name.c_str());
    lua_settop(L, 3);
  }
  lua_pushnil(L);
  return 3;
}

// `require` within the standard library: private modules too.
int require_stdlib(lua_State* L) {
  const std::string name = check_string(L, 1, "the file's name");
  if (!(is_private_name(name) ? push_module(L, name, "private") : push_member(L, name)))
    throw Error(ErrorKind::internal, "the standard library has no file " + name + ".lua");
  return 1;
}

void add_noun(lua_State* L, const char* name, void (*bind)(lua_State*)) {
  lua_createtable(L, 0, 8);
  bind(L);
  lua_setfield(L, -2, name);
}

}  // namespace

void open_reg(lua_State* L) {
  lua_createtable(L, 0, 16);  // core
  bind_core(L);
  bind_rehearsal(L);
  bind_container_options(L);
  bind_open_worktrees(L);
  bind_outputs(L);
  lua_createtable(L, 0, 16);
  add_noun(L, "container", bind_container);
  add_noun(L, "cuda", bind_cuda);
  add_noun(L, "fs", bind_fs);
  add_noun(L, "git", bind_git);
  add_noun(L, "gpu", bind_gpu);
  add_noun(L, "json", bind_json);
  add_noun(L, "time", bind_time);
  add_noun(L, "nvtx", bind_nvtx);
  add_noun(L, "trace", bind_trace);
  add_noun(L, "process", bind_process);
  add_noun(L, "machine", bind_machine);
  add_noun(L, "report", bind_report);
  add_noun(L, "results", bind_results);
  add_noun(L, "minimize", bind_minimize);
  add_noun(L, "search", bind_search);
  add_noun(L, "store", bind_store);
  add_noun(L, "verify", bind_verify);
  bind_input(L);
  bind_log(L);
  bind_permissions(L);
  bind_task(L);
  lua_setfield(L, -2, "nouns");
  lua_createtable(L, 0, 16);
  lua_setfield(L, -2, "private");  // never in `loaded`, which scripts see through `reg`
  lua_createtable(L, 0, 16);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "loaded");
  lua_insert(L, -2);  // below core, for reg

  lua_createtable(L, 0, 3);  // the stdlib's environment: core, its own require, and the script's globals
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "core");
  register_functions(L, "stdlib", {{"require", require_stdlib}});
  lua_createtable(L, 0, 1);
  lua_pushglobaltable(L);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "environment");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &core_key);

  // Loaded modules are found without a call; index_reg loads the others.
  lua_createtable(L, 0, 1);
  register_functions(L, "reg", {{"__index", index_reg}});
  lua_setmetatable(L, -2);
  lua_createtable(L, 0, 0);  // reg
  lua_createtable(L, 0, 4);
  register_functions(L, "reg", {{"__newindex", newindex_reg}, {"__pairs", pairs_reg}});
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  set(L, "__metatable", "reg");
  lua_setmetatable(L, -2);
  lua_setglobal(L, "reg");
  lua_pop(L, 1);
}

void push_program(lua_State* L, const std::string& name) {
  if (!compile_stdlib(L, "lib/program/" + name))
    throw Error(ErrorKind::internal, "the standard library has no program " + name);
}

}  // namespace reg::lua
