#pragma once

#include <lua.hpp>

namespace reg::lua {

/// Pushes a list of the open results of reg.gpu.lock as { asked =, locked =, why =, gpus = }, for the record of a
/// trial.
void push_gpu_locks(lua_State* L);

}  // namespace reg::lua
