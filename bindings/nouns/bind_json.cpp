#include "bindings/nouns/bind.h"
#include "bindings/runtime/json.h"
#include "bindings/runtime/lua.h"

namespace reg::lua {
namespace {

int encode(lua_State* L) {
  const Options options(L, 2);
  push(L, to_json(L, 1, options.flag("pretty") ? 2 : -1));
  return 1;
}

int decode(lua_State* L) {
  push_json(L, check_string(L, 1, "the text"));
  return 1;
}

int array(lua_State* L) {
  lua_settop(L, 1);
  if (!lua_istable(L, 1)) throw misuse(L, "takes a table");
  mark_json_array(L);
  return 1;
}

}  // namespace

void bind_json(lua_State* L) {
  register_functions(L, "json", {{"encode", encode, "pretty", 2}, {"decode", decode}, {"array", array}});
  push_json_null(L);
  lua_setfield(L, -2, "null");
}

}  // namespace reg::lua
