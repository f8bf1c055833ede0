#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <lua.hpp>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"

// The basis of every bind_<noun>.cpp: converts values, reads the options table, wraps objects with a lifetime, and
// turns C++ exceptions into Lua errors in one function (dispatch, which wraps each registered function).
//
// liblua5.4-c++ raises by throwing, so destructors run. Therefore never write `catch (...)` or `noexcept` around a Lua
// call: both would swallow Lua's own errors and yields.

namespace reg::lua {

/// One function of the Lua API. `options` lists the valid keys of its options table, separated by spaces; the table is
/// argument `options_at` (argument 1 of a method is the object itself).
struct Function {
  const char* name;
  lua_CFunction call;
  const char* options = nullptr;
  int options_at = 1;
};

// --- out ---------------------------------------------------------------------------------------------------------
// Each pushes one value and returns 1, for a function to return.
int push(lua_State* L, bool value);
int push(lua_State* L, double value);
int push(lua_State* L, const char* value);
int push(lua_State* L, std::string_view value);
template <std::integral T>
int push(lua_State* L, T value) {
  return lua_pushinteger(L, static_cast<lua_Integer>(value)), 1;
}

template <class T>
int push(lua_State* L, const std::vector<T>& list);
template <class T>
int push(lua_State* L, const std::map<std::string, T>& map);

/// nil without a value.
template <class T>
int push(lua_State* L, const std::optional<T>& value) {
  if (value) return push(L, *value);
  lua_pushnil(L);
  return 1;
}

/// A list, each element pushed by `push_one(L, element)`.
template <class List, class PushOne>
int push_list(lua_State* L, const List& list, PushOne push_one) {
  lua_createtable(L, static_cast<int>(list.size()), 0);
  lua_Integer at = 0;
  for (const auto& element : list) {
    push_one(L, element);
    lua_rawseti(L, -2, ++at);
  }
  return 1;
}

template <class T>
int push(lua_State* L, const std::vector<T>& list) {
  return push_list(L, list, [](lua_State* state, const T& element) { push(state, element); });
}

/// t[key] = value, for the table at the top of the stack.
template <class T>
void set(lua_State* L, const char* key, const T& value) {
  push(L, value);
  lua_setfield(L, -2, key);
}

template <class T>
int push(lua_State* L, const std::map<std::string, T>& map) {
  lua_createtable(L, 0, static_cast<int>(map.size()));
  for (const auto& [key, value] : map) {
    push(L, key);  // which may contain NUL bytes
    push(L, value);
    lua_rawset(L, -3);
  }
  return 1;
}

/// The same for a list, or with `push_one` alone for one value.
template <class T, class PushOne>
void set(lua_State* L, const char* key, const T& list, PushOne push_one) {
  if constexpr (std::is_invocable_v<PushOne, lua_State*, const T&>)
    push_one(L, list);
  else
    push_list(L, list, push_one);
  lua_setfield(L, -2, key);
}

// REG_SET(L, from, name, count): t.name = from.name, t.count = from.count(), for the table at the top of the stack.
// REG_SET_SOME leaves out what is empty. REG_PUSH pushes such a table. The members of a struct are the fields of its
// table, by their own names. REG_GET(options, into, name, count): the same the other way, for options that are there
// (Options::get). REG_TABLE(reg::git, Commit, id, time), outside all namespaces: push() of a Commit pushes such a
// table.
#define REG_NONE ()
#define REG_EACH_NEXT() REG_EACH
#define REG_EACH(use, a, b, field, ...) use(a, b, field) __VA_OPT__(REG_EACH_NEXT REG_NONE(use, a, b, __VA_ARGS__))
#define REG_THRICE(...) REG_TWICE(REG_TWICE(REG_TWICE(__VA_ARGS__)))
#define REG_TWICE(...) REG_ONCE(REG_ONCE(REG_ONCE(__VA_ARGS__)))
#define REG_ONCE(...) REG_AS_IS(REG_AS_IS(REG_AS_IS(__VA_ARGS__)))
#define REG_AS_IS(...) __VA_ARGS__
#define REG_FOR(use, ...) REG_THRICE(REG_EACH(use, , , __VA_ARGS__))
// REG_MEMBER reads a member variable or calls a method; REG_LIST is REG_FOR with commas between.
#define REG_MEMBER(from, member) std::invoke(&std::remove_cvref_t<decltype(from)>::member, from)
#define REG_LISTED_NEXT() REG_LISTED
#define REG_LISTED(use, a, field, ...) use(a, field) __VA_OPT__(, REG_LISTED_NEXT REG_NONE(use, a, __VA_ARGS__))
#define REG_LIST(...) REG_THRICE(REG_LISTED(__VA_ARGS__))
#define REG_SET_ONE(L, from, field) ::reg::lua::set(L, #field, REG_MEMBER(from, field));
#define REG_SET(L, from, ...) REG_THRICE(REG_EACH(REG_SET_ONE, L, from, __VA_ARGS__))
#define REG_SET_SOME_ONE(L, from, field) \
  if (!REG_MEMBER(from, field).empty()) REG_SET_ONE(L, from, field)
#define REG_SET_SOME(L, from, ...) REG_THRICE(REG_EACH(REG_SET_SOME_ONE, L, from, __VA_ARGS__))
#define REG_GET_ONE(options, into, field) (options).get(#field, (into).field);
#define REG_GET(options, into, ...) REG_THRICE(REG_EACH(REG_GET_ONE, options, into, __VA_ARGS__))
#define REG_PUSH(L, from, ...) \
  lua_createtable((L), 0, 8);  \
  REG_SET(L, from, __VA_ARGS__)
#define REG_TABLE(space, Type, ...)                 \
  namespace space {                                 \
  inline int push(lua_State* L, const Type& from) { \
    REG_PUSH(L, from, __VA_ARGS__)                  \
    return 1;                                       \
  }                                                 \
  }

// --- in ----------------------------------------------------------------------------------------------------------
/// The full name of the registered function at `index`, "git.Repo.log"; std::nullopt for any other value.
std::optional<std::string> registered_name(lua_State* L, int index);

/// A usage error that begins with the running function's name: "container.run: <message>".
[[nodiscard]] Error misuse(lua_State* L, const std::string& message, std::string hint = {});

/// The type of the value at `index`, for a message: "a table", "a string", "nothing".
std::string type_name(lua_State* L, int index);

/// The string at `index`, which may contain NUL bytes; a number is converted in place.
std::string text_at(lua_State* L, int index);

/// The same, valid while the value is on the stack.
std::string_view view_at(lua_State* L, int index);

/// The value at `index`, of an argument or an option; one of another type is a misuse that names it as `what`.
std::string check_string(lua_State* L, int index, const std::string& what);
double check_number(lua_State* L, int index, const std::string& what);
std::int64_t check_integer(lua_State* L, int index, const std::string& what);
bool check_flag(lua_State* L, int index, const std::string& what);
void check_function(lua_State* L, int index);
std::vector<std::string> check_list(lua_State* L, int index, const std::string& what);
/// One number, or a list of them.
std::vector<double> check_numbers(lua_State* L, int index, const std::string& what);
std::map<std::string, std::string> check_map(lua_State* L, int index, const std::string& what);
/// Seconds, from a number or a string such as "14d" or "1h30m".
double check_duration(lua_State* L, int index, const std::string& what);
/// Unix seconds, from a number or a string such as "2023-08-24" or "2023-08-24T13:00".
std::int64_t check_time(lua_State* L, int index, const std::string& what);
/// An integer that is not negative, and at most half of what T holds.
std::int64_t check_count(lua_State* L, int index, const std::string& what, std::uint64_t most);
template <class T>
T check_whole(lua_State* L, int index, const std::string& what) {
  return static_cast<T>(check_count(L, index, what, std::numeric_limits<T>::max() / 2));
}

/// What reads a value of a type.
template <class T>
inline constexpr auto kCheck = check_whole<T>;
template <>
inline constexpr auto kCheck<std::string> = check_string;
template <>
inline constexpr auto kCheck<double> = check_number;
template <>
inline constexpr auto kCheck<std::int64_t> = check_integer;
template <>
inline constexpr auto kCheck<bool> = check_flag;
template <>
inline constexpr auto kCheck<std::vector<std::string>> = check_list;
template <>
inline constexpr auto kCheck<std::vector<double>> = check_numbers;
template <>
inline constexpr auto kCheck<std::map<std::string, std::string>> = check_map;

/// Throws usage for a key of the table at `index` that is not one of `valid`, words with spaces between them.
void check_keys(lua_State* L, int index, const std::string& function, const std::string& valid);

/// Calls `use(i)` for each element of the list at `index`, which is on top of the stack then.
template <class Use>
void each_element(lua_State* L, int index, Use use) {
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, index));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, index, i);
    use(i);
    lua_pop(L, 1);
  }
}

/// Reads the options table at `index`; without a table, every option is absent. Unknown keys were refused before the
/// function was called (Function::options).
class Options {
 public:
  Options(lua_State* L, int index) : L_(L), index_(lua_istable(L, index) ? lua_absindex(L, index) : 0) {}
  /// Those of the running function, at its Function::options_at.
  explicit Options(lua_State* L);

  bool has(const char* key) const;
  std::optional<std::string> text(const char* key) const { return read(key, check_string); }
  std::string text(const char* key, const std::string& otherwise) const { return text(key).value_or(otherwise); }
  std::string required_text(const char* key) const;
  std::optional<std::int64_t> integer(const char* key) const { return read(key, check_integer); }
  std::optional<double> duration(const char* key) const { return read(key, check_duration); }
  std::optional<std::int64_t> time(const char* key) const { return read(key, check_time); }
  bool flag(const char* key) const { return read(key, check_flag).value_or(false); }
  std::vector<std::string> list(const char* key) const { return some(key, check_list); }          ///< {} when absent
  std::map<std::string, std::string> map(const char* key) const { return some(key, check_map); }  ///< {} when absent
  /// into = the option, by the type of `into`, and true; false when it is absent.
  template <class T>
  bool get(const char* key, T& into) const {
    if constexpr (requires { into.has_value(); }) {
      typename T::value_type value{};
      if (!get(key, value)) return false;
      into = std::move(value);
    } else {
      auto value = read(key, kCheck<T>);
      if (!value) return false;
      into = std::move(*value);
    }
    return true;
  }
  /// Pushes the value (nil when absent) and returns its absolute index; the caller pops.
  int push(const char* key) const;

 private:
  /// What `check` makes of the option; nothing when it is absent.
  template <class T>
  std::optional<T> read(const char* key, T (*check)(lua_State*, int, const std::string&)) const {
    const int value = push(key);
    std::optional<T> result;
    if (!lua_isnil(L_, value)) result = check(L_, value, "'" + std::string(key) + "'");
    lua_pop(L_, 1);
    return result;
  }
  template <class T>
  T some(const char* key, T (*check)(lua_State*, int, const std::string&)) const {
    return read(key, check).value_or(T());
  }

  lua_State* L_;
  int index_;  // 0: no table given
};

// --- objects -----------------------------------------------------------------------------------------------------
template <class T>
inline const char* class_name;  // of T's metatable, as register_class() set it

/// The registry's table of the methods of each class, by its name.
inline constexpr const char* kClasses = "classes";
void make_class(lua_State* L, const char* name, const std::vector<Function>& members, lua_CFunction gc);
/// The object's userdata, or a misuse that names the expected class.
void* check_object(lua_State* L, int index, const char* name);

template <class T>
int collect(lua_State* L) {
  std::destroy_at(static_cast<std::shared_ptr<T>*>(lua_touserdata(L, 1)));
  return 0;
}

/// Declares a class; scripts see `name` ("git.Repo") in messages. A method named `close` also serves `<close>`; a
/// member whose name begins with a dot (".path") is a property, read without a call.
template <class T>
void register_class(lua_State* L, const char* name, const std::vector<Function>& members) {
  make_class(L, class_name<T> = name, members, collect<T>);
}

template <class T>
int push_object(lua_State* L, std::shared_ptr<T> object) {
  void* memory = lua_newuserdatauv(L, sizeof(std::shared_ptr<T>), 1);
  new (memory) std::shared_ptr<T>(std::move(object));
  luaL_setmetatable(L, class_name<T>);
  return 1;
}
template <class T>
int push(lua_State* L, std::shared_ptr<T> object) {
  return push_object(L, std::move(object));
}

/// The shared_ptr inside; reset() marks the object as closed.
template <class T>
std::shared_ptr<T>& object_slot(lua_State* L, int index = 1) {
  return *static_cast<std::shared_ptr<T>*>(check_object(L, index, class_name<T>));
}

/// The object; a misuse if it is closed.
template <class T>
std::shared_ptr<T> shared_object(lua_State* L, int index = 1) {
  auto& slot = object_slot<T>(L, index);
  if (!slot) throw misuse(L, "the object is closed");
  return slot;
}
template <class T>
T& object(lua_State* L, int index = 1) {
  return *shared_object<T>(L, index);
}

/// A method for the tables of register_class.
template <class T>
int close_object(lua_State* L) {
  object_slot<T>(L).reset();
  return 0;
}

// --- registration and errors -------------------------------------------------------------------------------------
/// Adds the functions to the table on top of the stack; `noun` is the name before the dot ("" for none).
void register_functions(lua_State* L, const char* noun, const std::vector<Function>& functions);

/// Pushes the error as scripts see it: a table {kind, message, hint, where} that prints as one or two lines.
void push_error(lua_State* L, const std::exception& error);

/// "script.lua:12: " for the innermost script line on the stack (lines of the stdlib are skipped), or "".
std::string script_line(lua_State* L);

/// Pushes the table at that key of the registry, made where it is not there. What is a key in it is not kept alive by
/// it.
void push_weak_table(lua_State* L, const char* key);

/// Pushes a list of {name=, options={...}, options_at=}, one per registered function, sorted by full name
/// ("git.Repo.find"): for help(), completion and the test that compares the stubs with the binary.
int push_registered(lua_State* L);

}  // namespace reg::lua

/// { ok =, message =, hint = }, the last two "" if it is available.
REG_TABLE(reg, Presence, ok, message, hint)
