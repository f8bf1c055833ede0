#pragma once

#include <lua.hpp>

namespace reg::lua {

/// Opens the libraries a script may have and takes out what would reach past the Guard: files, processes, bytecode,
/// debug and C modules. `require` finds text files beside the script and nothing else.
void open_sandbox(lua_State* L);

}  // namespace reg::lua
