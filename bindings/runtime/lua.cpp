#include "bindings/runtime/lua.h"

#include "engine/base/text.h"

namespace reg::lua {
namespace {

// All that any state of this process has, by their full names. The nodes of a map never move.
std::map<std::string, Function>& functions() {
  static std::map<std::string, Function> all;
  return all;
}

// Every registered function is this one; its upvalues are the Function and its full name.
int dispatch(lua_State* L) {
  const auto* function = static_cast<const Function*>(lua_touserdata(L, lua_upvalueindex(1)));
  try {
    if (function->options != nullptr && !lua_isnoneornil(L, function->options_at))
      check_keys(L, function->options_at, text_at(L, lua_upvalueindex(2)), function->options);
    return function->call(L);
  } catch (const std::exception& error) {
    push_error(L, error);
  }
  return lua_error(L);
}

void push_function(lua_State* L, const Function& function, const std::string& full_name) {
  Function& kept = functions().insert_or_assign(full_name, function).first->second;
  lua_pushlightuserdata(L, &kept);
  push(L, full_name);
  lua_pushcclosure(L, dispatch, 2);
}

// __index of a class with properties; its upvalues are the methods and the getters of the properties.
int index_members(lua_State* L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) return 1;
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

int error_to_string(lua_State* L) {
  lua_settop(L, 1);
  std::string text;
  for (const char* field : {"where", "message"}) {
    if (lua_getfield(L, 1, field) == LUA_TSTRING) text += text_at(L, -1);
  }
  if (lua_getfield(L, 1, "hint") == LUA_TSTRING) text += "\n  " + text_at(L, -1);
  return push(L, text);
}

}  // namespace

std::string type_name(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNIL:
    case LUA_TNONE:
      return "nothing";
    case LUA_TTABLE:
      return "a table";
    default:
      return std::string("a ") + luaL_typename(L, index);
  }
}

std::string_view view_at(lua_State* L, int index) {
  std::size_t size = 0;
  const char* data = lua_tolstring(L, index, &size);
  return {data, size};
}

std::string text_at(lua_State* L, int index) { return std::string(view_at(L, index)); }

int push(lua_State* L, bool value) { return lua_pushboolean(L, value), 1; }
int push(lua_State* L, double value) { return lua_pushnumber(L, value), 1; }
int push(lua_State* L, const char* value) { return push(L, std::string_view(value)); }
int push(lua_State* L, std::string_view value) { return lua_pushlstring(L, value.data(), value.size()), 1; }

std::optional<std::string> registered_name(lua_State* L, int index) {
  if (lua_tocfunction(L, index) != dispatch) return std::nullopt;
  lua_getupvalue(L, index, 2);
  std::string name = text_at(L, -1);
  lua_pop(L, 1);
  return name;
}

Options::Options(lua_State* L)
    : Options(L, static_cast<const Function*>(lua_touserdata(L, lua_upvalueindex(1)))->options_at) {}

Error misuse(lua_State* L, const std::string& message, std::string hint) {
  const int name = lua_upvalueindex(2);
  const std::string function = lua_type(L, name) == LUA_TSTRING ? text_at(L, name) : "regengine";
  return {ErrorKind::usage, function + ": " + message, std::move(hint)};
}

void make_class(lua_State* L, const char* name, const std::vector<Function>& members, lua_CFunction gc) {
  std::vector<Function> methods, properties;
  for (const Function& member : members) {
    if (*member.name == '.')
      properties.push_back({member.name + 1, member.call});
    else
      methods.push_back(member);
  }
  luaL_newmetatable(L, name);
  set(L, "__metatable", name);  // scripts see the name, not the table
  lua_pushcfunction(L, gc);
  lua_setfield(L, -2, "__gc");
  lua_createtable(L, 0, static_cast<int>(methods.size()));
  register_functions(L, name, methods);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, kClasses);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
  if (lua_getfield(L, -1, "close") == LUA_TFUNCTION)
    lua_setfield(L, -3, "__close");
  else
    lua_pop(L, 1);
  if (!properties.empty()) {
    lua_createtable(L, 0, static_cast<int>(properties.size()));
    register_functions(L, name, properties);
    lua_pushcclosure(L, index_members, 2);
  }
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void* check_object(lua_State* L, int index, const char* name) {
  if (void* data = luaL_testudata(L, index, name)) return data;
  throw misuse(L, "argument " + std::to_string(index) + " must be a " + name + ", not " + type_name(L, index),
               index == 1 ? "Call methods with a colon: object:method()." : "");
}

void register_functions(lua_State* L, const char* noun, const std::vector<Function>& functions) {
  const std::string prefix = *noun == '\0' ? "" : std::string(noun) + ".";
  for (const Function& function : functions) {
    push_function(L, function, prefix + function.name);
    lua_setfield(L, -2, function.name);
  }
}

void push_error(lua_State* L, const std::exception& exception) {
  const Error error = as_error(exception);
  lua_createtable(L, 0, 4);
  set(L, "kind", to_string(error.kind()));
  set(L, "message", error.what());
  if (!error.hint().empty()) set(L, "hint", error.hint());
  set(L, "where", script_line(L));
  if (luaL_newmetatable(L, "error") != 0) {
    lua_pushcfunction(L, error_to_string);
    lua_setfield(L, -2, "__tostring");
  }
  lua_setmetatable(L, -2);
}

std::string script_line(lua_State* L) {
  lua_Debug info;
  for (int level = 0; lua_getstack(L, level, &info) != 0; ++level) {
    lua_getinfo(L, "Sl", &info);
    const std::string_view source = info.source;
    const bool shipped = source.starts_with("=stdlib/") || source.starts_with("=scripts/");
    if (info.currentline > 0 && !shipped)
      return std::string(info.short_src) + ":" + std::to_string(info.currentline) + ": ";
  }
  return {};
}

void push_weak_table(lua_State* L, const char* key) {
  if (luaL_getsubtable(L, LUA_REGISTRYINDEX, key) != 0) return;
  lua_createtable(L, 0, 1);
  set(L, "__mode", "k");
  lua_setmetatable(L, -2);
}

int push_registered(lua_State* L) {
  return push_list(L, functions(), [](lua_State* state, const auto& entry) {
    lua_createtable(state, 0, 3);
    set(state, "name", entry.first);
    if (entry.second.options == nullptr) return;
    set(state, "options", split(entry.second.options, ' '));
    set(state, "options_at", entry.second.options_at);
  });
}

}  // namespace reg::lua
