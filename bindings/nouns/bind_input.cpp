#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/loop/loop.h"

namespace reg::lua {
namespace {

int next_line(lua_State* L) {
  const auto op = read_line(Vm::of(L).loop());
  if (!op) throw misuse(L, "another task is reading standard input");
  return await(L, op, [](lua_State* state, const std::optional<std::string>& line) {
    push(state, line);
    return 1;
  });
}

}  // namespace

void bind_input(lua_State* L) { register_functions(L, "", {{"read_line", next_line}}); }

}  // namespace reg::lua
