#include <cmath>

#include "bindings/runtime/lua.h"
#include "engine/base/text.h"
#include "engine/base/time.h"

// Reads arguments and the options table from Lua.

namespace reg::lua {
namespace {

void check(lua_State* L, bool good, int index, const std::string& what, const char* wanted) {
  if (!good) throw misuse(L, what + " must be " + wanted + ", not " + type_name(L, index));
}

}  // namespace

std::string check_string(lua_State* L, int index, const std::string& what) {
  check(L, lua_type(L, index) == LUA_TSTRING, index, what, "a string");
  return text_at(L, index);
}

double check_number(lua_State* L, int index, const std::string& what) {
  check(L, lua_type(L, index) == LUA_TNUMBER, index, what, "a number");
  return lua_tonumber(L, index);
}

std::int64_t check_integer(lua_State* L, int index, const std::string& what) {
  int is_integer = 0;
  const lua_Integer value = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &is_integer) : 0;
  check(L, is_integer != 0 && std::fabs(static_cast<double>(value)) <= 9e15, index, what, "an integer");
  return value;
}

std::int64_t check_count(lua_State* L, int index, const std::string& what, std::uint64_t most) {
  const std::int64_t value = check_integer(L, index, what);
  if (value < 0) throw misuse(L, what + " must not be negative, but is " + std::to_string(value));
  if (static_cast<std::uint64_t>(value) > most) throw misuse(L, what + " must be at most " + std::to_string(most));
  return value;
}

bool check_flag(lua_State* L, int index, const std::string& what) {
  check(L, lua_isboolean(L, index), index, what, "true or false");
  return lua_toboolean(L, index) != 0;
}

void check_function(lua_State* L, int index) {
  check(L, lua_isfunction(L, index), index, "argument " + std::to_string(index), "a function");
}

std::vector<std::string> check_list(lua_State* L, int index, const std::string& what) {
  check(L, lua_istable(L, index), index, what, "a list of strings");
  std::vector<std::string> list;
  each_element(L, index, [&](lua_Integer) {
    check(L, lua_isstring(L, -1) != 0, -1, what, "a list of strings");
    list.push_back(text_at(L, -1));
  });
  // Values after a hole or with a named key would be silently ignored; table.pack sets `n`.
  std::ptrdiff_t pairs = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1))
    if (lua_type(L, -2) != LUA_TSTRING || text_at(L, -2) != "n") ++pairs;
  if (pairs != std::ssize(list)) throw misuse(L, what + " must be a list without holes or named keys");
  return list;
}

std::vector<double> check_numbers(lua_State* L, int index, const std::string& what) {
  if (lua_type(L, index) == LUA_TNUMBER) return {lua_tonumber(L, index)};
  if (!lua_istable(L, index)) throw misuse(L, what + " must be a number or a list of numbers");
  std::vector<double> numbers;
  each_element(L, index,
               [&](lua_Integer i) { numbers.push_back(check_number(L, -1, what + "[" + std::to_string(i) + "]")); });
  return numbers;
}

std::map<std::string, std::string> check_map(lua_State* L, int index, const std::string& what) {
  std::map<std::string, std::string> map;
  check(L, lua_istable(L, index), index, what, "a table of names and values");
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 2)) {
    check(L, lua_type(L, -2) == LUA_TSTRING, index, what, "a table of names and values");
    check(L, lua_isstring(L, -1) != 0, -1, what + "." + text_at(L, -2), "a string");
    lua_pushvalue(L, -1);  // lua_tolstring converts a number in place
    map[text_at(L, -3)] = text_at(L, -1);
  }
  return map;
}

double check_duration(lua_State* L, int index, const std::string& what) {
  if (lua_type(L, index) == LUA_TNUMBER) {
    const double seconds = lua_tonumber(L, index);
    if (!std::isfinite(seconds) || seconds < 0) throw misuse(L, what + " must not be negative");
    return seconds;
  }
  const std::string text = check_string(L, index, what);
  const auto seconds = parse_duration(text);
  if (!seconds)
    throw misuse(L, what + ": not a valid duration: '" + text + "'",
                 "Write seconds (30), or a string such as \"30s\", \"1h30m\" or \"14d\".");
  return *seconds;
}

std::int64_t check_time(lua_State* L, int index, const std::string& what) {
  if (lua_type(L, index) == LUA_TNUMBER) return check_integer(L, index, what);
  const std::string text = check_string(L, index, what);
  const auto time = parse_time(text);
  if (!time)
    throw misuse(L, what + ": not a valid time: '" + text + "'", "Write it as 2023-08-24 or 2023-08-24T13:00, in UTC.");
  return *time;
}

void check_keys(lua_State* L, int index, const std::string& function, const std::string& valid) {
  const auto refuse = [&](const std::string& what, const std::string& hint = "") {
    throw Error(ErrorKind::usage, function + ": " + what, hint);
  };
  if (!lua_istable(L, index)) refuse("takes a table of options, not " + type_name(L, index));
  for (lua_pushnil(L); lua_next(L, index) != 0;) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING)
      refuse("every option needs a name" +
             (valid.empty() ? "" : ", such as { " + std::string(words(valid).front()) + " = ... }"));
    const std::string key = text_at(L, -1);
    if (!has_word(valid, key))
      refuse("unknown option '" + key + "'" + did_you_mean(key, words(valid)),
             "valid options: " + join(words(valid), ", "));
  }
}

int Options::push(const char* key) const {
  if (index_ == 0)
    lua_pushnil(L_);
  else
    lua_getfield(L_, index_, key);
  return lua_gettop(L_);
}

bool Options::has(const char* key) const {
  const bool there = !lua_isnil(L_, push(key));
  lua_pop(L_, 1);
  return there;
}

std::string Options::required_text(const char* key) const {
  const auto value = text(key);
  if (!value) throw misuse(L_, "needs '" + std::string(key) + "'");
  return *value;
}

}  // namespace reg::lua
