#include "bindings/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bindings/lua.h"

namespace reg::lua {
namespace {

using nlohmann::json;  // a std::map inside: keys come out sorted

constexpr int kDeepest = 100;      // of what is written: deeper, it contains itself
constexpr int kDeepestRead = 200;  // each level is a frame of the C stack, and tables as deep are nobody's data
constexpr std::size_t kTakenByAValue = 64;                  // while it is being written
constexpr std::size_t kMostWritten = std::size_t{1} << 30;  // a table may hold another a thousand times over

lua_Integer count_pairs(lua_State* L, int index) {
  lua_Integer count = 0;
  lua_pushnil(L);
  for (; lua_next(L, index) != 0; lua_pop(L, 1)) ++count;
  return count;
}

char array_key;  // registry: the metatable that tells an empty list from an empty table

bool is_array(lua_State* L, int index) {
  if (lua_getmetatable(L, index) == 0) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &array_key);
  const bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return same;
}

// Where a value stands, told only when something is wrong with it.
struct Place {
  const Place* within = nullptr;
  std::string_view key;  // of a table with names
  lua_Integer index = 0;
  std::size_t* left = nullptr;  // bytes that may still be written

  void take(lua_State* L, std::size_t bytes) const {
    if (bytes > *left) throw misuse(L, "more than a GiB of JSON, or a table that holds others again and again");
    *left -= bytes;
  }

  std::string words() const {
    if (within == nullptr) return "value";
    std::string text = within->words();
    text += index > 0 ? "[" + std::to_string(index) + "]" : "." + std::string(key);
    return text;
  }
};

json to_value(lua_State* L, int index, const Place& place, int depth);

json to_list(lua_State* L, int index, lua_Integer count, const Place& place, int depth) {
  if (count_pairs(L, index) != count)
    throw misuse(L, place.words() + ": a table with both a list and names has no JSON form");
  json list = json::array();
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, index, i);
    list.push_back(to_value(L, lua_gettop(L), {&place, {}, i, place.left}, depth));
    lua_pop(L, 1);
  }
  return list;
}

json to_map(lua_State* L, int index, const Place& place, int depth) {
  json map = json::object();
  lua_pushnil(L);
  for (; lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) throw misuse(L, place.words() + ": a key that is no string has no JSON form");
    std::size_t size = 0;
    const char* data = lua_tolstring(L, -2, &size);
    const std::string_view key(data, size);
    place.take(L, size);
    map[std::string(key)] = to_value(L, lua_gettop(L), {&place, key, 0, place.left}, depth);
  }
  return map;
}

json to_value(lua_State* L, int index, const Place& place, int depth) {
  if (depth > kDeepest) throw misuse(L, place.words() + ": nested too deeply for JSON (or it contains itself)");
  luaL_checkstack(L, 4, "JSON");
  place.take(L, kTakenByAValue);
  switch (lua_type(L, index)) {
    case LUA_TNIL:
      return nullptr;
    case LUA_TLIGHTUSERDATA:
      if (lua_touserdata(L, index) == nullptr) return nullptr;
      break;
    case LUA_TBOOLEAN:
      return lua_toboolean(L, index) != 0;
    case LUA_TNUMBER: {
      if (lua_isinteger(L, index) != 0) return lua_tointeger(L, index);
      const double number = lua_tonumber(L, index);
      if (!std::isfinite(number)) throw misuse(L, place.words() + ": NaN and infinity have no JSON form");
      return number;
    }
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* data = lua_tolstring(L, index, &size);
      place.take(L, size);
      return std::string(data, size);
    }
    case LUA_TTABLE: {
      const auto count = static_cast<lua_Integer>(lua_rawlen(L, index));
      if (count > 0) return to_list(L, index, count, place, depth + 1);
      if (is_array(L, index)) return json::array();
      return to_map(L, index, place, depth + 1);
    }
    default:
      break;
  }
  throw misuse(L, place.words() + ": a " + luaL_typename(L, index) + " has no JSON form");
}

void push_value(lua_State* L, const json& value, bool nulls) {
  luaL_checkstack(L, 4, "JSON");
  switch (value.type()) {
    case json::value_t::object:
      lua_createtable(L, 0, static_cast<int>(value.size()));
      for (const auto& [key, element] : value.items()) {
        push(L, key);
        push_value(L, element, nulls);
        lua_rawset(L, -3);
      }
      break;
    case json::value_t::array:
      push_list(L, value, [nulls](lua_State* state, const json& element) { push_value(state, element, nulls); });
      if (value.empty()) mark_json_array(L);
      break;
    case json::value_t::string:
      push(L, value.get_ref<const std::string&>());
      break;
    case json::value_t::boolean:
      push(L, value.get<bool>());
      break;
    case json::value_t::number_integer:
      push(L, value.get<std::int64_t>());
      break;
    case json::value_t::number_unsigned:
      if (value.get<std::uint64_t>() <= INT64_MAX)
        push(L, value.get<std::int64_t>());
      else
        push(L, value.get<double>());
      break;
    case json::value_t::number_float:
      push(L, value.get<double>());
      break;
    default:
      if (nulls)
        push_json_null(L);
      else
        lua_pushnil(L);
  }
}

// How deep the text nests, to be known before anything recurses into it.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

}  // namespace

std::string to_json(lua_State* L, int index, int indent) {
  std::size_t left = kMostWritten;
  return to_value(L, lua_absindex(L, index), {nullptr, {}, 0, &left}, 0)
      .dump(indent, ' ', false, json::error_handler_t::replace);
}

void push_json(lua_State* L, std::string_view text, bool nulls) {
  if (depth_of(text) > kDeepestRead)
    throw Error(ErrorKind::corrupt, "JSON that nests more than " + std::to_string(kDeepestRead) + " deep");
  json value;
  try {
    value = json::parse(text);
  } catch (const json::parse_error& error) {
    throw Error(ErrorKind::corrupt, "not JSON, it breaks at byte " + std::to_string(error.byte));
  } catch (const json::out_of_range&) {
    throw Error(ErrorKind::corrupt, "JSON with a number that is too large, such as 1e999");
  }
  push_value(L, value, nulls);
}

void mark_json_array(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &array_key) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 0);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &array_key);
  }
  lua_setmetatable(L, -2);
}

void push_json_null(lua_State* L) { lua_pushlightuserdata(L, nullptr); }

}  // namespace reg::lua
