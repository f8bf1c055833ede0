#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/guard/patterns.h"

namespace reg::lua {
namespace {

// reg.needs{ KIND = "PATTERN" or { "PATTERN", ... } }
int needs(lua_State* L) {
  const Options options(L, 1);
  Policy& policy = Vm::of(L).guard().policy();
  for (const std::string& name : effect_kind_names()) {
    if (!options.has(name.c_str())) continue;
    const EffectKind kind = *effect_kind(name);
    const int value = options.push(name.c_str());
    const bool one = lua_type(L, value) == LUA_TSTRING;
    lua_pop(L, 1);
    for (const std::string& pattern :
         one ? std::vector<std::string>{*options.text(name.c_str())} : options.list(name.c_str())) {
      Patterns().add(kind, pattern);  // an invalid pattern is an error even in a trusted script
      policy.declare(kind, pattern);
    }
  }
  return 0;
}

}  // namespace

void bind_permissions(lua_State* L) {
  register_functions(L, "", {{"needs", needs, "container files git gpu machine process unboxed"}});
}

}  // namespace reg::lua
