#pragma once

#include <lua.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reg::lua {

/// What a Lua function does, whatever its comments, line numbers and local names are. It describes the function and
/// those defined in it, but not those it reaches through upvalues and tables.
struct Bytecode {
  std::string sha256;
  std::vector<std::string> strings;  ///< its string constants, among them every name it looks up
  std::vector<bool> assigned;        ///< of each upvalue: whether this code assigns it
};

/// nullopt for a C function.
std::optional<Bytecode> bytecode_of(lua_State* L, int index);

}  // namespace reg::lua
