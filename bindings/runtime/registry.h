#pragma once

#include <string>

#include "bindings/runtime/lua.h"

namespace reg::lua {

/// Stores a copy of the Function (with its full name, "git.Repo.find") for the life of the state, and returns it.
/// help(), completion and the test that compares the stubs with the binary read this list.
const Function* remember_function(lua_State* L, const std::string& full_name, const Function& function);

/// Pushes a list of {name=, options={...}, options_at=}, one per registered function, sorted by name.
void push_registered(lua_State* L);

}  // namespace reg::lua
