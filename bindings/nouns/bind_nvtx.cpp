#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/nvtx/nvtx.h"

namespace reg::lua {
namespace {

int range(lua_State* L) {
  const std::string text = check_string(L, 1, "the text");
  return push_object(L, std::make_shared<nvtx::Range>(Options(L, 2).text("category", ""), text));
}

}  // namespace

void bind_nvtx(lua_State* L) {
  register_class<nvtx::Range>(L, "nvtx.Range", {{"close", close_object<nvtx::Range>}});
  register_functions(L, "nvtx", {{"range", range, "category", 2}, {"status", call<nvtx::status>}});
}

}  // namespace reg::lua
