#include "bindings/runtime/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "bindings/runtime/limits.h"
#include "bindings/runtime/lua.h"
#include "engine/base/text.h"

namespace reg::lua {
namespace {

using nlohmann::json;  // based on std::map, so keys are sorted

constexpr std::size_t kBytesPerValue = 64;                 // of memory while it is being written
constexpr std::size_t kMaxWritten = std::size_t{1} << 30;  // a table may contain another one many times

lua_Integer count_pairs(lua_State* L, int index) {
  lua_Integer count = 0;
  lua_pushnil(L);
  for (; lua_next(L, index) != 0; lua_pop(L, 1)) ++count;
  return count;
}

constexpr const char* kLists = "lists";  // registry: the metatable that marks a list

bool is_array(lua_State* L, int index) {
  if (lua_getmetatable(L, index) == 0) return false;
  lua_getfield(L, LUA_REGISTRYINDEX, kLists);
  const bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return same;
}

// The path of a value within the table, for error messages.
struct Path {
  const Path* within = nullptr;
  std::string_view key;  // in a table with named keys
  lua_Integer index = 0;
  std::size_t* left = nullptr;  // bytes that may still be written

  void take(lua_State* L, std::size_t bytes) const {
    if (bytes > *left)
      throw misuse(L, "the JSON is too large, or a table contains another one many times",
                   "The limit is 1 GiB or --memory, whichever is smaller.");
    *left -= bytes;
  }

  std::string text() const {
    if (within == nullptr) return "value";
    std::string text = within->text();
    text += index > 0 ? "[" + std::to_string(index) + "]" : "." + std::string(key);
    return text;
  }
};

json to_value(lua_State* L, int index, const Path& path, int depth);

json to_list(lua_State* L, int index, lua_Integer count, const Path& path, int depth) {
  if (count_pairs(L, index) != count)
    throw misuse(L, path.text() + ": a table with both list elements and named keys has no JSON form");
  json list = json::array();
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, index, i);
    list.push_back(to_value(L, lua_gettop(L), {&path, {}, i, path.left}, depth));
    lua_pop(L, 1);
  }
  return list;
}

json to_map(lua_State* L, int index, const Path& path, int depth) {
  json map = json::object();
  lua_pushnil(L);
  for (; lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) throw misuse(L, path.text() + ": a key that is not a string has no JSON form");
    const std::string_view key = view_at(L, -2);
    path.take(L, key.size());
    map[std::string(key)] = to_value(L, lua_gettop(L), {&path, key, 0, path.left}, depth);
  }
  return map;
}

json to_value(lua_State* L, int index, const Path& path, int depth) {
  if (depth > kDeepestJson) throw misuse(L, path.text() + ": nested too deeply for JSON (or it contains itself)");
  luaL_checkstack(L, 4, "JSON");
  path.take(L, kBytesPerValue);
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
      if (!std::isfinite(number)) throw misuse(L, path.text() + ": NaN and infinity have no JSON form");
      return number;
    }
    case LUA_TSTRING: {
      const std::string_view text = view_at(L, index);
      path.take(L, text.size());
      return std::string(text);
    }
    case LUA_TTABLE: {
      const auto count = static_cast<lua_Integer>(lua_rawlen(L, index));
      if (count > 0) return to_list(L, index, count, path, depth + 1);
      if (is_array(L, index)) return json::array();
      return to_map(L, index, path, depth + 1);
    }
    default:
      break;
  }
  throw misuse(L, path.text() + ": a " + luaL_typename(L, index) + " has no JSON form");
}

// Creates Lua values while parsing, so that no intermediate document takes memory.
class Builder : public nlohmann::json_sax<json> {
 public:
  Builder(lua_State* L, bool nulls) : L_(L), nulls_(nulls) {}

  bool null() override {
    if (nulls_)
      push_json_null(L_);
    else
      lua_pushnil(L_);
    return put();
  }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    return value <= INT64_MAX ? put(static_cast<std::int64_t>(value)) : put(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t&) override { return false; }  // not part of JSON text

  bool start_object(std::size_t) override { return open(kNames); }
  bool key(string_t& name) override {
    push(L_, name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(0); }
  bool end_array() override {
    if (open_.back() == 0) mark_json_array(L_);
    return close();
  }

  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr)
      throw Error(ErrorKind::corrupt, "JSON: a number is too large, such as 1e999");
    throw Error(ErrorKind::corrupt, "not valid JSON: error at byte " + std::to_string(at));
  }

 private:
  static constexpr lua_Integer kNames = -1;

  bool open(lua_Integer count) {
    luaL_checkstack(L_, 4, "JSON");
    lua_createtable(L_, 0, 0);
    open_.push_back(count);
    return true;
  }

  bool close() {
    open_.pop_back();
    return put();
  }

  template <class T>
  bool put(const T& value) {
    push(L_, value);
    return put();
  }

  // Stores the value on top in the table below it; for a table with named keys, the key is between them.
  bool put() {
    if (open_.empty()) return true;
    if (open_.back() == kNames)
      lua_rawset(L_, -3);
    else
      lua_rawseti(L_, -2, ++open_.back());
    return true;
  }

  lua_State* L_;
  bool nulls_;
  std::vector<lua_Integer> open_;  // for each open table, the number of list elements so far, or kNames
};

constexpr const char* kNumbers = "numbers";  // registry: the values that were shown, and their numbers

lua_Integer number_of(lua_State* L, int index) {
  static lua_Integer last = 0;  // over all states of this process
  push_weak_table(L, kNumbers);
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushvalue(L, index);
    lua_pushinteger(L, ++last);
    lua_rawset(L, -3);
    lua_pushinteger(L, last);
  }
  const lua_Integer number = lua_tointeger(L, -1);
  lua_pop(L, 2);
  return number;
}

bool has_address(lua_State* L, int index) {
  const int type = lua_type(L, index);
  if (type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING) return false;
  if (luaL_getmetafield(L, index, "__tostring") == LUA_TNIL) return true;
  lua_pop(L, 1);
  return false;
}

}  // namespace

std::string to_json(lua_State* L, int index, int indent) {
  void* memory = nullptr;
  const bool limited = lua_getallocf(L, &memory) == Memory::allocate;
  std::size_t left = limited ? std::min(kMaxWritten, static_cast<Memory*>(memory)->limit()) : kMaxWritten;
  return to_value(L, lua_absindex(L, index), {nullptr, {}, 0, &left}, 0)
      .dump(indent, ' ', false, json::error_handler_t::replace);
}

void push_json(lua_State* L, std::string_view text, bool nulls) {
  if (nests_too_deep(text))
    throw Error(ErrorKind::corrupt, "JSON: nested more than " + std::to_string(kDeepestJson) + " levels deep");
  luaL_checkstack(L, 4, "JSON");
  Builder reader(L, nulls);
  json::sax_parse(text, &reader);
}

void mark_json_array(lua_State* L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, kLists);
  lua_setmetatable(L, -2);
}

void push_json_null(lua_State* L) { lua_pushlightuserdata(L, nullptr); }

std::string_view push_as_text(lua_State* L, int index) {
  index = lua_absindex(L, index);
  if (!has_address(L, index)) {
    luaL_tolstring(L, index, nullptr);
    return view_at(L, -1);
  }
  const lua_Integer number = number_of(L, index);
  const int name = luaL_getmetafield(L, index, "__name");  // nothing is pushed where there is none
  const bool named = name == LUA_TSTRING;
  lua_pushfstring(L, "%s: %I", named ? lua_tostring(L, -1) : luaL_typename(L, index), number);
  if (name != LUA_TNIL) lua_remove(L, -2);
  return view_at(L, -1);
}

}  // namespace reg::lua
