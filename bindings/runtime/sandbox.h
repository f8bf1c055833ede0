#pragma once

#include <cstdint>
#include <lua.hpp>

namespace reg::lua {

/// Opens the libraries a script may use and removes everything that would bypass the Guard: files, processes, bytecode,
/// debug and C modules. `require` loads only text files next to the script.
void open_sandbox(lua_State* L);

/// math.randomseed(seed), so that a script's random numbers can be reproduced elsewhere.
void seed_random(lua_State* L, std::int64_t seed);

}  // namespace reg::lua
