#pragma once

#include <lua.hpp>

namespace reg::lua {

/// core.local_images(): names of the images on this machine, for the completion. It asks docker and podman, as far as
/// they can be asked without a network, waits a moment, and gives what is known then: what comes later is there at the
/// next call.
int local_images(lua_State* L);

}  // namespace reg::lua
