#pragma once

#include <lua.hpp>

namespace reg::lua {

/// Pushes a list of the locks that are open, as { asked =, locked =, why =, gpus = }: what reg.gpu.lock gave, for the
/// record of a trial.
void push_gpu_locks(lua_State* L);

}  // namespace reg::lua
