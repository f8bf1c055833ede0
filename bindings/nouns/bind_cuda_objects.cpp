#include <cmath>

#include "bindings/nouns/cuda.h"
#include "bindings/runtime/vm.h"

namespace reg::lua {
namespace {

using cuda::Dtype;

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

}  // namespace

cuda::Dtype check_dtype(lua_State* L, const std::string& name) {
  const auto dtype = cuda::dtype_of(name);
  if (!dtype) throw misuse(L, "not a valid dtype: '" + name + "'", "valid dtypes: " + std::string(cuda::kDtypeNames));
  return *dtype;
}

void register_cuda_objects(lua_State* L) {
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
}

}  // namespace reg::lua
