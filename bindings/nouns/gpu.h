#pragma once

#include <lua.hpp>
#include <string>

namespace reg::lua {

/// Pushes a list of the open results of reg.gpu.lock as { asked =, locked =, why =, gpus = }, for the record of a
/// trial.
void push_gpu_locks(lua_State* L);

/// Pushes a list of the GPUs and instances (MIG) of a word such as "0:1,1", each { index =, instance =, uuid =,
/// name = }.
void push_gpu_parts(lua_State* L, const std::string& which);

/// The words of CUDA_VISIBLE_DEVICES for a list such as "0:1", whose instances CUDA knows by UUID alone. Throws as
/// push_gpu_parts raises.
std::string cuda_words(const std::string& which);

/// A clock for reg.gpu.lock that the model of the first of these GPUs holds under a heavy load.
std::string suggested_clock(const std::string& which);

}  // namespace reg::lua
