#include <cmath>

#include "bindings/runtime/lua.h"
#include "engine/base/time.h"

// Reads arguments and the options table from Lua.

namespace reg::lua {
namespace {

void check(lua_State* L, bool good, int index, const std::string& what, const char* wanted) {
  if (!good) throw misuse(L, what + " must be " + wanted + ", not " + type_name(L, index));
}

std::string quoted(const char* key) { return "'" + std::string(key) + "'"; }

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
  check(L, is_integer != 0, index, what, "an integer");
  return value;
}

void check_table(lua_State* L, int index, const std::string& what) {
  check(L, lua_istable(L, index), index, what, "a table");
}

void check_function(lua_State* L, int index, const std::string& what) {
  check(L, lua_isfunction(L, index), index, what, "a function");
}

std::vector<std::string> check_list(lua_State* L, int index, const std::string& what) {
  check_table(L, index, what);
  std::vector<std::string> list;
  each_element(L, index, [&](lua_Integer) { list.push_back(check_string(L, -1, what)); });
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

Options::Options(lua_State* L, int index) : L_(L), index_(lua_istable(L, index) ? lua_absindex(L, index) : 0) {}

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

template <class Read>
auto Options::read(const char* key, Read read) const -> std::optional<decltype(read(0))> {
  const int value = push(key);
  std::optional<decltype(read(0))> result;
  if (!lua_isnil(L_, value)) result = read(value);
  lua_pop(L_, 1);
  return result;
}

std::optional<std::string> Options::text(const char* key) const {
  return read(key, [&](int value) { return check_string(L_, value, quoted(key)); });
}

std::string Options::text(const char* key, const std::string& otherwise) const { return text(key).value_or(otherwise); }

std::string Options::required_text(const char* key) const {
  const auto value = text(key);
  if (!value) throw misuse(L_, "needs " + quoted(key));
  return *value;
}

std::optional<double> Options::number(const char* key) const {
  return read(key, [&](int value) { return check_number(L_, value, quoted(key)); });
}

std::optional<std::int64_t> Options::integer(const char* key) const {
  return read(key, [&](int value) {
    const std::int64_t number = check_integer(L_, value, quoted(key));
    check(L_, std::fabs(static_cast<double>(number)) <= 9e15, value, quoted(key), "an integer");
    return number;
  });
}

std::int64_t Options::count(const char* key, std::int64_t most) const {
  const std::int64_t value = integer(key).value_or(0);
  if (value < 0) throw misuse(L_, quoted(key) + " must not be negative, but is " + std::to_string(value));
  if (value > most) throw misuse(L_, quoted(key) + " must be at most " + std::to_string(most));
  return value;
}

std::optional<double> Options::duration(const char* key) const {
  return read(key, [&](int value) { return check_duration(L_, value, key); });
}

std::optional<std::int64_t> Options::time(const char* key) const {
  return read(key, [&](int value) { return check_time(L_, value, key); });
}

bool Options::flag(const char* key, bool otherwise) const {
  const auto given = read(key, [&](int value) {
    check(L_, lua_isboolean(L_, value), value, quoted(key), "true or false");
    return lua_toboolean(L_, value) != 0;
  });
  return given.value_or(otherwise);
}

std::vector<std::string> Options::list(const char* key) const {
  std::vector<std::string> result;
  read(key, [&](int value) {
    check(L_, lua_istable(L_, value), value, quoted(key), "a list of strings");
    each_element(L_, value, [&](lua_Integer) {
      check(L_, lua_isstring(L_, -1) != 0, -1, quoted(key), "a list of strings");
      result.push_back(text_at(L_, -1));
    });
    // Values after a hole or with a named key would be silently ignored; table.pack sets `n`.
    lua_Integer pairs = 0;
    for (lua_pushnil(L_); lua_next(L_, value) != 0; lua_pop(L_, 1))
      if (lua_type(L_, -2) != LUA_TSTRING || text_at(L_, -2) != "n") ++pairs;
    if (pairs != std::ssize(result)) throw misuse(L_, quoted(key) + " must be a list without holes or named keys");
    return true;
  });
  return result;
}

std::vector<double> Options::numbers(const char* key) const {
  return read(key, [&](int value) { return check_numbers(L_, value, key); }).value_or(std::vector<double>());
}

std::map<std::string, std::string> Options::map(const char* key) const {
  std::map<std::string, std::string> result;
  read(key, [&](int value) {
    check(L_, lua_istable(L_, value), value, quoted(key), "a table of names and values");
    for (lua_pushnil(L_); lua_next(L_, value) != 0; lua_pop(L_, 2)) {
      check(L_, lua_type(L_, -2) == LUA_TSTRING, value, quoted(key), "a table of names and values");
      check(L_, lua_isstring(L_, -1) != 0, -1, "'" + std::string(key) + "." + text_at(L_, -2) + "'", "a string");
      lua_pushvalue(L_, -1);  // lua_tolstring converts a number in place
      result[text_at(L_, -3)] = text_at(L_, -1);
    }
    return true;
  });
  return result;
}

}  // namespace reg::lua
