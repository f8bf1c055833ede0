#pragma once

#include <lua.hpp>
#include <optional>
#include <string>

namespace reg::lua {

/// Defines the global `reg`: each name is the public module stdlib/<name>.lua, loaded at its first use, or else the
/// noun of that name. A misspelled name is an error with a suggestion. Modules below stdlib/lib are private to the
/// standard library and its own `require`.
void open_reg(lua_State* L);

/// Pushes an entry point of the standard library, stdlib/lib/program/<name>.lua, as a function. That file says what it
/// takes and returns.
void push_program(lua_State* L, const std::string& name);

/// What the same command, run in the box before, handed over: core.handed().
std::optional<std::string>& handed_over();

}  // namespace reg::lua
