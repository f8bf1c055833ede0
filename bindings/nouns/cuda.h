#pragma once

#include <memory>
#include <string>

#include "bindings/runtime/lua.h"
#include "engine/cuda/blas.h"

namespace reg::lua {

/// A context as Lua has it: with cuBLAS, once that was asked for.
struct CudaContext {
  std::shared_ptr<cuda::Context> context;
  std::unique_ptr<cuda::Blas> blas;
};

/// Memory as Lua has it: it knows what numbers lie in it.
struct CudaBuffer {
  std::shared_ptr<cuda::Buffer> memory;
  cuda::Dtype dtype;
  std::size_t n;
};

/// A kernel with its configuration and arguments, checked.
struct CudaLaunch {
  std::shared_ptr<cuda::Kernel> kernel;
  cuda::LaunchConfig config;
};

// The classes of a GPU's objects: cuda.Buffer, cuda.Stream, ...
void register_cuda_objects(lua_State* L);
/// core.nouns.cuda.internal: the steps that reg.cuda.time (stdlib/cuda.lua) is made of.
void bind_cuda_timing(lua_State* L);

/// The stream an options table names, or nullptr for the context's own.
cuda::Stream* stream_option(lua_State* L, const Options& options);
cuda::Dtype check_dtype(lua_State* L, const std::string& name);

}  // namespace reg::lua
