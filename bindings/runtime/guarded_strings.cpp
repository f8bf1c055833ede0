#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "bindings/runtime/guarded.h"
#include "bindings/runtime/pattern.h"
#include "bindings/runtime/vm.h"

namespace reg::lua {
namespace {

// The limit of steps per call, some seconds, and what is added for each byte of the string.
constexpr std::int64_t kStepsPerCall = 1'000'000'000;
constexpr std::int64_t kStepsPerByte = 100;

std::string_view string_at(lua_State* L, int index) {
  std::size_t size = 0;
  const char* data = luaL_checklstring(L, index, &size);
  return {data, size};
}

// Converts a position of the string functions (from 1, or from the end if negative) to an index from 0.
std::size_t position(lua_Integer given, std::size_t size) {
  if (given > 0) return static_cast<std::size_t>(given) - 1;
  if (given == 0 || given < -static_cast<lua_Integer>(size)) return 0;
  return size - static_cast<std::size_t>(-given);
}

// A Pattern whose steps are limited and count as instructions of the script.
class Search {
 public:
  Search(lua_State* L, std::string_view text, std::string_view wanted)
      : L_(L),
        text_(text),
        wanted_(wanted),
        left_(kStepsPerCall + kStepsPerByte * static_cast<std::int64_t>(text.size())),
        pattern_(text, wanted, [this](std::int64_t steps) { check(steps); }) {}
  ~Search() { Vm::of(L_).tasks().spend(pattern_.steps()); }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  Pattern& pattern() { return pattern_; }

 private:
  void check(std::int64_t steps) {
    Vm::of(L_).tasks().charge(L_, steps);
    left_ -= steps;
    if (left_ >= 0) return;
    throw PatternError("the pattern '" + std::string(wanted_.substr(0, 100)) + "' takes too long on a string of " +
                       std::to_string(text_.size()) + " bytes; anchor it or use fewer of * + -");
  }

  lua_State* L_;
  std::string_view text_;
  std::string_view wanted_;
  std::int64_t left_;
  Pattern pattern_;
};

void push_piece(lua_State* L, const Pattern::Piece& piece) {
  if (piece.is_position)
    lua_pushinteger(L, piece.length);
  else
    lua_pushlstring(L, piece.begin, static_cast<std::size_t>(piece.length));
}

// Pushes all captures, or the whole match if there are none and `begin` is given.
int push_captures(lua_State* L, const Pattern& pattern, const char* begin, const char* end) {
  const int count = pattern.captures() == 0 && begin != nullptr ? 1 : pattern.captures();
  luaL_checkstack(L, count, "too many captures");
  for (int i = 0; i < count; ++i) push_piece(L, pattern.capture(i, begin, end));
  return count;
}

// Raises a PatternError as a Lua error, prefixed with the caller's line as in Lua.
template <int (*call)(lua_State*)>
int converted(lua_State* L) {
  try {
    return call(L);
  } catch (const PatternError& error) {
    luaL_where(L, 1);
    lua_pushstring(L, error.what());
  }
  lua_concat(L, 2);
  return lua_error(L);
}

bool is_plain(std::string_view pattern) { return pattern.find_first_of("^$*+?.([%-") == std::string_view::npos; }

int find_plain(lua_State* L, std::string_view text, std::string_view wanted, std::size_t from) {
  const void* found = memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (found == nullptr) return lua_pushnil(L), 1;
  const lua_Integer begin = static_cast<const char*>(found) - text.data();
  lua_pushinteger(L, begin + 1);
  lua_pushinteger(L, begin + static_cast<lua_Integer>(wanted.size()));
  return 2;
}

template <bool wants_place>
int find_or_match(lua_State* L) {
  const std::string_view text = string_at(L, 1);
  const std::string_view wanted = string_at(L, 2);
  const std::size_t from = position(luaL_optinteger(L, 3, 1), text.size());
  if (from > text.size()) return lua_pushnil(L), 1;
  if (wants_place && (lua_toboolean(L, 4) != 0 || is_plain(wanted))) return find_plain(L, text, wanted, from);
  Search search(L, text, wanted);
  const char* begin = nullptr;
  const char* end = search.pattern().search(text.data() + from, begin);
  if (end == nullptr) return lua_pushnil(L), 1;
  if (!wants_place) return push_captures(L, search.pattern(), begin, end);
  lua_pushinteger(L, begin - text.data() + 1);
  lua_pushinteger(L, end - text.data());
  return push_captures(L, search.pattern(), nullptr, nullptr) + 2;
}

// The state of a gmatch. The other upvalues keep its strings alive.
struct Walk {
  std::size_t from;
  std::size_t last_end;
};
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

int next_match(lua_State* L) {
  Walk& walk = *static_cast<Walk*>(lua_touserdata(L, lua_upvalueindex(3)));
  const std::string_view text = string_at(L, lua_upvalueindex(1));
  Search search(L, text, string_at(L, lua_upvalueindex(2)));
  for (std::size_t at = walk.from; at <= text.size(); ++at) {
    const char* begin = text.data() + at;
    const char* end = search.pattern().match(begin);
    if (end == nullptr || static_cast<std::size_t>(end - text.data()) == walk.last_end) continue;
    walk.from = walk.last_end = static_cast<std::size_t>(end - text.data());
    return push_captures(L, search.pattern(), begin, end);
  }
  walk.from = text.size() + 1;
  return 0;
}

int gmatch(lua_State* L) {
  const std::string_view text = string_at(L, 1);
  string_at(L, 2);
  const std::size_t from = position(luaL_optinteger(L, 3, 1), text.size());
  lua_settop(L, 2);
  *static_cast<Walk*>(lua_newuserdatauv(L, sizeof(Walk), 0)) = {std::min(from, text.size() + 1), kNowhere};
  lua_pushcclosure(L, converted<next_match>, 3);
  return 1;
}

void add_text(lua_State* L, luaL_Buffer& buffer, const Pattern& pattern, const char* begin, const char* end) {
  std::string_view text = string_at(L, 3);
  while (true) {
    const std::size_t mark = text.find('%');
    luaL_addlstring(&buffer, text.data(), std::min(mark, text.size()));
    if (mark == std::string_view::npos) return;
    const char what = mark + 1 < text.size() ? text[mark + 1] : '\0';
    if (what == '%') {
      luaL_addchar(&buffer, '%');
    } else if (what == '0') {
      luaL_addlstring(&buffer, begin, static_cast<std::size_t>(end - begin));
    } else if (what >= '1' && what <= '9') {
      try {
        push_piece(L, pattern.capture(what - '1', begin, end));
      } catch (const PatternError& error) {
        throw PatternError(std::string(error.what()) +
                           (std::string_view(error.what()).starts_with("invalid") ? " in replacement string" : ""));
      }
      luaL_tolstring(L, -1, nullptr);
      lua_remove(L, -2);
      luaL_addvalue(&buffer);
    } else {
      throw PatternError("invalid use of '%' in replacement string");
    }
    text.remove_prefix(mark + 2);
  }
}

// Adds the replacement of a match; false if that is the match itself.
bool add_value(lua_State* L, luaL_Buffer& buffer, const Pattern& pattern, const char* begin, const char* end) {
  const int type = lua_type(L, 3);
  if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, 3);
    lua_call(L, push_captures(L, pattern, begin, end), 1);
  } else if (type == LUA_TTABLE) {
    push_piece(L, pattern.capture(0, begin, end));
    lua_gettable(L, 3);
  } else {
    add_text(L, buffer, pattern, begin, end);
    return true;
  }
  if (lua_toboolean(L, -1) == 0) {
    lua_pop(L, 1);
    luaL_addlstring(&buffer, begin, static_cast<std::size_t>(end - begin));
    return false;
  }
  if (lua_isstring(L, -1) == 0)
    throw PatternError(std::string("invalid replacement value (a ") + luaL_typename(L, -1) + ")");
  luaL_addvalue(&buffer);
  return true;
}

int gsub(lua_State* L) {
  const std::string_view text = string_at(L, 1);
  const std::string_view wanted = string_at(L, 2);
  const int type = lua_type(L, 3);
  const lua_Integer most = luaL_optinteger(L, 4, static_cast<lua_Integer>(text.size()) + 1);
  if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TFUNCTION && type != LUA_TTABLE)
    luaL_typeerror(L, 3, "string/function/table");
  Search search(L, text, wanted);
  Pattern& pattern = search.pattern();
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  const char* from = text.data();
  const char* const text_end = from + text.size();
  const char* last_end = nullptr;
  lua_Integer count = 0;
  bool changed = false;
  while (count < most) {
    const char* end = pattern.match(from);
    if (end != nullptr && end != last_end) {
      ++count;
      changed = add_value(L, buffer, pattern, from, end) || changed;
      from = last_end = end;
    } else if (from < text_end) {
      luaL_addchar(&buffer, *from);
      ++from;
    } else {
      break;
    }
    if (pattern.anchored()) break;
  }
  if (changed) {
    luaL_addlstring(&buffer, from, static_cast<std::size_t>(text_end - from));
    luaL_pushresult(&buffer);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  return 2;
}

// The original would loop as often as told even for "".
int rep(lua_State* L) {
  std::size_t size = 0;
  luaL_checklstring(L, 1, &size);
  const lua_Integer times = luaL_checkinteger(L, 2);
  std::size_t between = 0;
  luaL_optlstring(L, 3, "", &between);
  if (times <= 0 || size + between == 0) return lua_pushliteral(L, ""), 1;
  const std::size_t most = std::min<std::size_t>(Vm::of(L).memory().limit(), LUA_MAXINTEGER);
  if (static_cast<std::size_t>(times) > most / (size + between)) return luaL_error(L, "resulting string too large");
  return call_original(L);
}

}  // namespace

void guard_strings(lua_State* L) {
  lua_getglobal(L, LUA_STRLIBNAME);
  const luaL_Reg functions[] = {
      {"find", converted<find_or_match<true>>},
      {"match", converted<find_or_match<false>>},
      {"gmatch", gmatch},
      {"gsub", converted<gsub>},
      {nullptr, nullptr},
  };
  luaL_setfuncs(L, functions, 0);
  wrap(L, "rep", rep);
  lua_pop(L, 1);
}

}  // namespace reg::lua
