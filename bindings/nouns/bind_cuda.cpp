#include "bindings/nouns/bind.h"
#include "bindings/nouns/cuda.h"
#include "bindings/runtime/vm.h"
#include "engine/cuda/nvrtc.h"
#include "engine/cuda/timer.h"

REG_TABLE(reg::cuda, DeviceInfo, index, name, uuid, pci_id, arch, memory_bytes, l2_bytes, multiprocessors, clock_mhz)

namespace reg::lua {
namespace {

using cuda::Context;

// --- devices and compiling -------------------------------------------------------------------------------------------
int versions(lua_State* L) {
  lua_createtable(L, 0, 3);
  using Version = std::string (*)();
  for (const auto& [key, version] : std::initializer_list<std::pair<const char*, Version>>{
           {"driver", cuda::driver_version}, {"nvrtc", cuda::nvrtc_version}, {"cublas", cuda::cublas_version}}) {
    try {
      set(L, key, version());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable) throw;  // nil if the library is missing
    }
  }
  return 1;
}

int compile(lua_State* L, const Options& options) {
  const std::string source = check_string(L, 1, "the source");
  const auto given = options.text("arch");
  const std::string arch = given ? *given : cuda::devices().at(0).arch, name = options.text("name", "kernel.cu");
  for (const std::string& text : {source, name, arch})
    if (text.find('\0') != std::string::npos)
      throw misuse(L, "the source, its name and its arch must not contain a NUL byte");
  // The compiler reads what the source includes.
  admit(L, {EffectKind::gpu, "compile " + name, {{EffectKind::gpu, {"run"}}}, false});
  return await(L, on_worker(Vm::of(L).loop(), [source, arch, name] { return cuda::compile(source, arch, name); }),
               [arch, name](lua_State* state, const cuda::Compiled& compiled) {
                 REG_PUSH(state, compiled, image, log);
                 set(state, "arch", arch);
                 set(state, "name", name);
                 return 1;
               });
}

std::shared_ptr<CudaContext> open(lua_State* L, std::optional<int> given) {
  const int index = given.value_or(0);
  auto opened = std::make_shared<CudaContext>();
  const bool real =
      admit(L, {EffectKind::gpu, "run work on GPU " + std::to_string(index), {{EffectKind::gpu, {"run"}}}});
  opened->context = real ? Context::open(index) : Context::dry(index);
  return opened;
}

// --- cuda.Context ----------------------------------------------------------------------------------------------------
auto alloc(lua_State* L, const CudaContext& self) {
  const std::int64_t n = check_integer(L, 2, "the length");
  const cuda::Dtype dtype = check_dtype(L, argument<std::optional<std::string>>(L, 3).value_or("u8"));
  if (n < 1) throw misuse(L, "the length must be at least 1, not " + std::to_string(n));
  return std::make_shared<cuda::Buffer>(self.context, static_cast<std::size_t>(n), dtype);
}

auto load(lua_State* L, const CudaContext& self) {
  if (lua_istable(L, 2)) lua_getfield(L, 2, "image");
  const std::string image = check_string(L, -1, "the image");
  return std::make_shared<cuda::Module>(self.context, image);
}

auto event(const CudaContext& self) { return std::make_shared<cuda::Event>(self.context); }

int whole(lua_State* L, const Options& options, const char* key, std::int64_t otherwise) {
  const std::int64_t value = options.integer(key).value_or(otherwise);
  if (value < 1 || value > INT32_MAX) throw misuse(L, "'" + std::string(key) + "' must be at least 1");
  return static_cast<int>(value);
}

std::shared_ptr<cuda::Buffer> matrix(lua_State* L, const Options& options, const char* key, cuda::Dtype dtype) {
  const int at = options.push(key);
  if (lua_isnil(L, at)) throw misuse(L, "needs '" + std::string(key) + "', a buffer");
  auto buffer = shared_object<cuda::Buffer>(L, at);
  if (buffer->dtype() != dtype)
    throw misuse(L, fmt::format("'{}' holds {}, but 'a' holds {}", key, buffer->dtype_name(), cuda::to_string(dtype)));
  lua_pop(L, 1);
  return buffer;
}

void gemm(lua_State* L, CudaContext& self, const Options& options) {
  cuda::Gemm what;
  if (!options.has("n")) throw misuse(L, "needs 'n', and 'm' and 'k' if they differ from it");
  what.n = whole(L, options, "n", 0);
  what.m = whole(L, options, "m", what.n);
  what.k = whole(L, options, "k", what.n);
  const int a = options.push("a");
  if (lua_isnil(L, a)) throw misuse(L, "needs 'a', a buffer");
  what.dtype = object<cuda::Buffer>(L, a).dtype();
  lua_pop(L, 1);
  REG_GET(options, what, tf32);
  what.a = matrix(L, options, "a", what.dtype);
  what.b = matrix(L, options, "b", what.dtype);
  what.c = matrix(L, options, "c", what.dtype);
  if (!self.blas) {
    self.context->refuse_waiting("the first gemm of a context");
    self.blas = std::make_unique<cuda::Blas>(self.context);
  }
  self.blas->gemm(what);
}

Op<Nothing> synchronize(lua_State* L, const CudaContext& self) {
  self.context->refuse_waiting("cuda.Context:synchronize");
  return on_worker(Vm::of(L).loop(), [context = self.context] { context->synchronize(); });
}

// --- the steps of reg.cuda.time: stdlib/cuda.lua has the loop that calls the timed function, and checks the arguments
// The context of a launch.
auto context_of_launch(const CudaLaunch& launch) {
  auto context = std::make_shared<CudaContext>();
  context->context = launch.kernel->shared_context();
  return context;
}

// (context, options)
auto timing(lua_State* L, const CudaContext& self) {
  const Options options(L, 2);
  self.context->refuse_waiting("cuda.time");
  cuda::TimerOptions timer;
  REG_GET(options, timer, flush, block);
  timer.block_limit_s = options.duration("block_limit_s").value();
  return std::make_shared<cuda::Timer>(self.context, timer);
}

// The region's seconds, the SM clock while it ran, and whether the GPU had to be let go before all was queued.
int finish_timing(lua_State* L, cuda::Timer& timer) {
  const cuda::Sample sample = timer.end();
  push(L, sample.seconds);
  push(L, sample.sm_mhz);
  push(L, timer.released_early());
  return 3;
}

}  // namespace

std::vector<Function> bind_cuda(lua_State* L) {
  register_class<CudaContext>(L, "cuda.Context",
                              {REG_PROPERTIES(CudaContext, name, arch, index, uuid, dry),
                               REG_FUNCTIONS(alloc, load, event, synchronize),
                               {"gemm", call<gemm>, "m n k a b c tf32", 2},
                               {"close", close_object<CudaContext>}});
  register_cuda_objects(L);
  lua_createtable(L, 0, 8);
  register_class<cuda::Timer>(L, "cuda.time", {});
  register_functions(L, "core",
                     {REG_METHODS(cuda::Timer, begin, abandon),
                      REG_FUNCTIONS(timing),
                      {"context_of", call<context_of_launch>},
                      {"finish", call<finish_timing>}});
  lua_setfield(L, -2, "internal");
  return {REG_FUNCTIONS(versions, open),
          {"devices", call<cuda::devices>},
          {"status", call<cuda::driver_status>},
          {"compile", call<compile>, "arch name", 2}};
}

}  // namespace reg::lua
