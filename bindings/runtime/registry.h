#pragma once

#include <string>

#include "bindings/runtime/lua.h"

namespace reg::lua {

/// Keeps the Function (with its full name, "git.Repo.find") for as long as the state lives, and returns the kept one.
/// help(), completion and the test that compares the stubs with the binary read this list.
const Function* remember_function(lua_State* L, const std::string& full_name, const Function& function);

/// Pushes a list of {name=, options={...}, options_at=} of everything registered, sorted by name.
void push_registered(lua_State* L);

}  // namespace reg::lua
