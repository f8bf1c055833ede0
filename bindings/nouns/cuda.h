#pragma once

#include <memory>
#include <string>

#include "bindings/runtime/lua.h"
#include "engine/cuda/blas.h"

namespace reg::lua {

/// A context, with cuBLAS once a gemm has used it.
struct CudaContext {
  std::shared_ptr<cuda::Context> context;
  std::unique_ptr<cuda::Blas> blas;

  const cuda::DeviceInfo& device() const { return context->device(); }
  const std::string& name() const { return device().name; }
  const std::string& arch() const { return device().arch; }
  int index() const { return device().index; }
  const std::string& uuid() const { return device().uuid; }
  bool dry() const { return context->is_dry(); }
};

/// A kernel with its checked configuration and arguments.
struct CudaLaunch {
  std::shared_ptr<cuda::Kernel> kernel;
  cuda::LaunchConfig config;
};

/// Registers the classes of a GPU's objects: cuda.Buffer, cuda.Event, ...
void register_cuda_objects(lua_State* L);

cuda::Dtype check_dtype(lua_State* L, const std::string& name);

}  // namespace reg::lua
