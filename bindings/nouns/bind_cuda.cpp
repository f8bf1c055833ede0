#include <cmath>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/cuda/blas.h"
#include "engine/cuda/timer.h"

REG_TABLE(reg::cuda, DeviceInfo, index, name, uuid, pci_id, arch, memory_bytes, l2_bytes, multiprocessors, clock_mhz)

namespace reg::lua {
namespace {

using cuda::Context;
using cuda::Dtype;

// A context, with cuBLAS once a gemm has used it.
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

// A kernel with its checked configuration and arguments.
struct CudaLaunch {
  std::shared_ptr<cuda::Kernel> kernel;
  cuda::LaunchConfig config;
};

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

Dtype check_dtype(lua_State* L, const std::string& name) {
  const auto dtype = cuda::dtype_of(name);
  if (!dtype) throw misuse(L, "not a valid dtype: '" + name + "'", "valid dtypes: " + std::string(cuda::kDtypeNames));
  return *dtype;
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

std::shared_ptr<cuda::Buffer> matrix(lua_State* L, const Options& options, const char* key) {
  const int at = options.push(key);
  if (lua_isnil(L, at)) throw misuse(L, "needs '" + std::string(key) + "', a buffer");
  auto buffer = shared_object<cuda::Buffer>(L, at);
  lua_pop(L, 1);
  return buffer;
}

void gemm(lua_State* L, CudaContext& self, const Options& options) {
  cuda::Gemm what;
  if (!options.has("n")) throw misuse(L, "needs 'n', and 'm' and 'k' if they differ from it");
  what.n = whole(L, options, "n", 0);
  what.m = whole(L, options, "m", what.n);
  what.k = whole(L, options, "k", what.n);
  REG_GET(options, what, tf32);
  what.a = matrix(L, options, "a");
  what.b = matrix(L, options, "b");
  what.c = matrix(L, options, "c");
  what.dtype = what.a->dtype();
  for (const auto& [key, other] : {std::pair{"b", what.b}, {"c", what.c}})
    if (other->dtype() != what.dtype)
      throw misuse(L, fmt::format("'{}' holds {}, but 'a' holds {}", key, other->dtype_name(), what.a->dtype_name()));
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

// --- numbers ---------------------------------------------------------------------------------------------------------
void append_number(lua_State* L, std::string& out, Dtype dtype, int at, const std::string& what) {
  if (lua_type(L, at) != LUA_TNUMBER) throw misuse(L, what + " must be a number, not " + type_name(L, at));
  if (!cuda::is_integer(dtype)) return cuda::append(out, dtype, lua_tonumber(L, at));
  int exact = 0;
  const std::int64_t value = lua_tointegerx(L, at, &exact);
  const auto [least, most] = cuda::range_of(dtype);
  if (exact == 0 || value < least || value > most) throw misuse(L, what + " is not a valid " + cuda::to_string(dtype));
  cuda::append(out, dtype, value);
}

// A string of bytes, or a list of numbers to convert to that dtype.
std::string check_data(lua_State* L, int at, Dtype dtype) {
  if (lua_type(L, at) == LUA_TSTRING) return text_at(L, at);
  if (!lua_istable(L, at)) throw misuse(L, "takes a string of bytes or a list of numbers, not " + type_name(L, at));
  std::string data;
  data.reserve(lua_rawlen(L, at) * cuda::size_of(dtype));
  each_element(L, at,
               [&](lua_Integer i) { append_number(L, data, dtype, lua_gettop(L), "number " + std::to_string(i)); });
  return data;
}

// --- cuda.Buffer -----------------------------------------------------------------------------------------------------
// Copies the argument to the buffer on a worker.
int send(lua_State* L, const char* what, void (cuda::Buffer::*copy)(const std::string&)) {
  const cuda::Buffer& buffer = object<cuda::Buffer>(L);
  std::string data = check_data(L, 2, buffer.dtype());
  buffer.context().refuse_waiting(what);
  if (data.empty()) throw misuse(L, "nothing to copy");
  if (data.size() > buffer.bytes())
    throw misuse(L, fmt::format("{} bytes do not fit into a buffer of {}", data.size(), buffer.bytes()));
  return await(L, on_worker(Vm::of(L).loop(), [memory = object_slot<cuda::Buffer>(L), data = std::move(data), copy] {
                 (*memory.*copy)(data);
               }));
}

int upload(lua_State* L) { return send(L, "cuda.Buffer:upload", &cuda::Buffer::upload); }
int fill(lua_State* L) { return send(L, "cuda.Buffer:fill", &cuda::Buffer::fill); }

int receive(lua_State* L, const char* what, std::function<int(lua_State*, const std::string&)> finish) {
  object<cuda::Buffer>(L).context().refuse_waiting(what);
  return await(L, on_worker(Vm::of(L).loop(), [memory = object_slot<cuda::Buffer>(L)] { return memory->download(); }),
               std::move(finish));
}

int download(lua_State* L) {
  const cuda::Buffer& buffer = object<cuda::Buffer>(L);
  return receive(L, "cuda.Buffer:download",
                 [type = buffer.dtype(), count = buffer.n()](lua_State* state, const std::string& data) {
                   lua_createtable(state, static_cast<int>(count), 0);
                   for (std::size_t i = 0; i < count; ++i) {
                     const auto number = cuda::read_number(data.data() + i * cuda::size_of(type), type);
                     if (cuda::is_integer(type))
                       push(state, static_cast<std::int64_t>(number));
                     else
                       push(state, static_cast<double>(number));
                     lua_rawseti(state, -2, static_cast<lua_Integer>(i) + 1);
                   }
                   return 1;
                 });
}

int download_bytes(lua_State* L) {
  return receive(L, "cuda.Buffer:download_bytes",
                 [](lua_State* state, const std::string& data) { return push(state, data); });
}

// --- cuda.Event ------------------------------------------------------------------------------------------------------
Op<Nothing> event_synchronize(lua_State* L, const std::shared_ptr<cuda::Event>& awaited) {
  awaited->context().refuse_waiting("cuda.Event:synchronize");
  return on_worker(Vm::of(L).loop(), [awaited] { awaited->synchronize(); });
}

// --- cuda.Module, cuda.Kernel, cuda.Launch ---------------------------------------------------------------------------
auto kernel(lua_State* L, const std::shared_ptr<cuda::Module>& module) {
  return std::make_shared<cuda::Kernel>(module, check_string(L, 2, "the kernel's name"));
}

std::array<unsigned, 3> extent(lua_State* L, const Options& options, const char* key) {
  std::array<unsigned, 3> xyz{1, 1, 1};
  if (!options.has(key)) throw misuse(L, fmt::format("needs '{}', a number or {{ x, y, z }}", key));
  std::vector<double> given;
  options.get(key, given);
  if (given.empty() || given.size() > 3) throw misuse(L, fmt::format("'{}' must have one to three numbers", key));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (std::floor(given[i]) != given[i]) throw misuse(L, fmt::format("'{}' must be an integer", key));
    if (given[i] < 1 || given[i] > INT32_MAX) throw misuse(L, fmt::format("'{}' must be at least 1", key));
    xyz.at(i) = static_cast<unsigned>(given[i]);
  }
  return xyz;
}

cuda::LaunchConfig::Argument as_argument(const std::string& bytes) {
  cuda::LaunchConfig::Argument a;
  a.size = bytes.size();
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(a.bytes.data()));
  return a;
}

// A buffer, or a number such as { i32 = 5 }.
cuda::LaunchConfig::Argument check_argument(lua_State* L, int at, lua_Integer i) {
  const std::string what = "argument " + std::to_string(i);
  std::string bytes;
  if (lua_isuserdata(L, at) != 0) {
    cuda::append(bytes, Dtype::u64, static_cast<std::int64_t>(object<cuda::Buffer>(L, at).address()));
    return as_argument(bytes);
  }
  lua_pushnil(L);
  if (!lua_istable(L, at) || lua_next(L, at) == 0 || lua_type(L, -2) != LUA_TSTRING)
    throw misuse(L, what + " must be a buffer or a number with its dtype", "Write { i32 = 5 } or { f32 = 0.5 }.");
  const std::string type = text_at(L, -2);
  append_number(L, bytes, check_dtype(L, type), lua_gettop(L), what);
  lua_pop(L, 2);
  return as_argument(bytes);
}

CudaLaunch launch_from(lua_State* L, const std::shared_ptr<cuda::Kernel>& kernel, const Options& options) {
  CudaLaunch launch{kernel, {}};
  launch.config.grid = extent(L, options, "grid");
  launch.config.block = extent(L, options, "block");
  REG_GET(options, launch.config, shared_bytes);
  const int args = options.push("args");
  if (!lua_isnil(L, args) && !lua_istable(L, args)) throw misuse(L, "'args' must be a list, not " + type_name(L, args));
  if (lua_istable(L, args))
    each_element(L, args,
                 [&](lua_Integer i) { launch.config.arguments.push_back(check_argument(L, lua_gettop(L), i)); });
  lua_pop(L, 1);
  launch.kernel->check(launch.config);
  return launch;
}

void launch(lua_State* L, const std::shared_ptr<cuda::Kernel>& kernel, const Options& options) {
  kernel->launch(launch_from(L, kernel, options).config);
}

int bind(lua_State* L, const std::shared_ptr<cuda::Kernel>& kernel, const Options& options) {
  push(L, std::make_shared<CudaLaunch>(launch_from(L, kernel, options)));
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, 1);  // keeps its buffers alive as long as the launch
  return 1;
}

void run(const CudaLaunch& launch, std::optional<std::int64_t> times) {
  for (std::int64_t i = 0; i < times.value_or(1); ++i) launch.kernel->launch(launch.config);
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
  register_class<cuda::Buffer>(L, "cuda.Buffer",
                               {REG_PROPERTIES(cuda::Buffer, n, bytes),
                                REG_METHODS(cuda::Buffer, zero),
                                REG_FUNCTIONS(upload, fill, download, download_bytes),
                                {".dtype", call<&cuda::Buffer::dtype_name>},
                                {"close", close_object<cuda::Buffer>}});
  register_class<cuda::Event>(L, "cuda.Event",
                              {REG_METHODS(cuda::Event, record, seconds_since),
                               {"synchronize", call<event_synchronize>},
                               {"close", close_object<cuda::Event>}});
  register_class<cuda::Module>(L, "cuda.Module", {REG_FUNCTIONS(kernel), {"close", close_object<cuda::Module>}});
  register_class<cuda::Kernel>(L, "cuda.Kernel",
                               {{"launch", call<launch>, "grid block shared_bytes args", 2},
                                {"bind", call<bind>, "grid block shared_bytes args", 2}});
  register_class<CudaLaunch>(L, "cuda.Launch", {REG_FUNCTIONS(run)});
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
