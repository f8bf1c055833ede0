#include <lua.hpp>
#include <memory>

#include "bindings/runtime/pattern.h"
#include "tests/fuzz/fuzz.h"

using namespace reg;

namespace {

struct TooLong {};

// What Lua's own string.match says: "no match", its captures, or its error without the place.
std::string by_lua(std::string_view text, std::string_view pattern) {
  static lua_State* const L = [] {
    lua_State* state = luaL_newstate();
    luaL_openlibs(state);
    return state;
  }();
  lua_settop(L, 0);
  lua_getglobal(L, "string");
  lua_getfield(L, -1, "match");
  lua_pushlstring(L, text.data(), text.size());
  lua_pushlstring(L, pattern.data(), pattern.size());
  if (lua_pcall(L, 2, LUA_MULTRET, 0) != LUA_OK) return std::string("error: ") + lua_tostring(L, -1);
  std::string all;
  for (int i = 2; i <= lua_gettop(L); ++i) {
    std::size_t size = 0;
    const char* data = luaL_tolstring(L, i, &size);
    all += std::string(data, size) + "|";
    lua_pop(L, 1);
  }
  return all;
}

std::string by_us(std::string_view text, std::string_view pattern) {
  std::int64_t left = 2'000'000;
  try {
    lua::Pattern ours(text, pattern, [&](std::int64_t steps) {
      left -= steps;
      if (left < 0) throw TooLong{};
    });
    const char* begin = nullptr;
    const char* end = ours.search(text.data(), begin);
    if (end == nullptr) return "nil|";
    std::string all;
    for (int i = 0; i < std::max(1, ours.captures()); ++i) {
      const auto piece = ours.capture(i, begin, end);
      all += piece.is_position ? std::to_string(piece.length)
                               : std::string(piece.begin, static_cast<std::size_t>(piece.length));
      all += "|";
    }
    return all;
  } catch (const lua::PatternError& error) {
    return std::string("error: ") + error.what();
  }
}

}  // namespace

// The pattern is the first line, the text the rest. Lua is asked only what we answered in good time.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string all(fuzz::text(data, size));
  const std::size_t line = std::min(all.find('\n'), all.size());
  const std::string pattern = all.substr(0, line), text = all.substr(std::min(line + 1, all.size()));
  try {
    const std::string ours = by_us(text, pattern);
    fuzz::promised(by_lua(text, pattern) == ours);
  } catch (const TooLong&) {
  }
  return 0;
}
