#pragma once

#include <cstdint>
#include <lua.hpp>

namespace reg::lua {

/// Opens the libraries a script may have and takes out what would reach past the Guard: files, processes, bytecode,
/// debug and C modules. `require` finds text files beside the script and nothing else.
void open_sandbox(lua_State* L);

/// math.randomseed(seed): what a script draws can be drawn again elsewhere.
void seed_random(lua_State* L, std::int64_t seed);

}  // namespace reg::lua
