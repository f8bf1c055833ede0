#include <lua.hpp>
#include <memory>

#include "bindings/runtime/json.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

namespace {

// What was read can be written, and reads as the same.
int there_and_back(lua_State* L) {
  std::size_t size = 0;
  const char* data = lua_tolstring(L, 1, &size);
  try {
    lua::push_json(L, {data, size});
  } catch (const Error&) {
    return 0;
  }
  const std::string once = lua::to_json(L, -1);
  lua::push_json(L, once);
  fuzz::promised(lua::to_json(L, -1) == once);
  return 0;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::unique_ptr<lua_State, decltype(&lua_close)> state(luaL_newstate(), lua_close);
  lua_State* L = state.get();
  lua_pushcfunction(L, there_and_back);
  lua_pushlstring(L, reinterpret_cast<const char*>(data), size);
  fuzz::promised(lua_pcall(L, 1, 0, 0) == LUA_OK);
  return 0;
}
