#include "bindings/nouns/cuda.h"
#include "bindings/runtime/vm.h"
#include "engine/cuda/timer.h"

// The steps of reg.cuda.time. stdlib/cuda.lua has the loop that calls the timed function, and checks the arguments.

namespace reg::lua {
namespace {

// The context of a launch.
int context_of(lua_State* L) {
  auto context = std::make_shared<CudaContext>();
  context->context = object<CudaLaunch>(L).kernel->shared_context();
  return push_object(L, std::move(context));
}

// (context, options)
int timing(lua_State* L) {
  const auto& context = object<CudaContext>(L).context;
  const Options options(L, 2);
  context->refuse_waiting("cuda.time");
  cuda::TimerOptions timer;
  timer.flush = options.flag("flush");
  timer.block = options.flag("block");
  timer.block_limit_s = options.duration("block_limit_s").value();
  return push_object(L, std::make_shared<cuda::Timer>(context, timer));
}

// The region's seconds, the SM clock while it ran, and whether the GPU had to be let go before all was queued.
int finish(lua_State* L) {
  cuda::Timer& timer = object<cuda::Timer>(L);
  const cuda::Sample sample = timer.end();
  push(L, sample.seconds);
  push(L, sample.sm_mhz);
  push(L, timer.released_early());
  return 3;
}

}  // namespace

void bind_cuda_timing(lua_State* L) {
  register_class<cuda::Timer>(L, "cuda.time", {});
  register_functions(L, "core",
                     {{"context_of", context_of},
                      {"timing", timing},
                      {"begin", call<&cuda::Timer::begin>},
                      {"finish", finish},
                      {"abandon", call<&cuda::Timer::abandon>}});
}

}  // namespace reg::lua
