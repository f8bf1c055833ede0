#include "bindings/runtime/registry.h"

#include <map>

#include "engine/base/text.h"

namespace reg::lua {
namespace {

using Functions = std::map<std::string, Function>;  // its nodes never move

char functions_key;

Functions& functions_of(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    new (lua_newuserdatauv(L, sizeof(Functions), 0)) Functions;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, [](lua_State* state) {
      std::destroy_at(static_cast<Functions*>(lua_touserdata(state, 1)));
      return 0;
    });
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &functions_key);
  }
  auto* functions = static_cast<Functions*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return *functions;
}

}  // namespace

const Function* remember_function(lua_State* L, const std::string& full_name, const Function& function) {
  return &functions_of(L).insert_or_assign(full_name, function).first->second;
}

void push_registered(lua_State* L) {
  push_list(L, functions_of(L), [](lua_State* state, const auto& entry) {
    lua_createtable(state, 0, 3);
    set(state, "name", entry.first);
    if (entry.second.options == nullptr) return;
    push_list(state, split(entry.second.options, ' '), [](lua_State* s, std::string_view key) { push(s, key); });
    lua_setfield(state, -2, "options");
    set(state, "options_at", entry.second.options_at);
  });
}

}  // namespace reg::lua
