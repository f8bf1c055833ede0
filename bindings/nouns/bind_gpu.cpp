#include <fmt/format.h>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/text.h"
#include "engine/gpu/lease.h"
#include "engine/gpu/lock.h"
#include "engine/gpu/monitor.h"
#include "engine/machine/paths.h"
#include "engine/terminal/console.h"

namespace reg::gpu {

using lua::set;

int push(lua_State* L, const Process& process) {
  REG_PUSH(L, process, pid, bytes);
  REG_SET_SOME(L, process, name);
  return 1;
}

int push(lua_State* L, const Device& device) {
  lua_createtable(L, 0, 40);
  REG_SET(L, device, index, uuid, name, pci, power_w, power_limit_w, processes, persistence, ecc, mig);
  REG_SET(L, *device.session(), driver, cuda);
  set(L, "sm_mhz", device.clock(nvml::kSm));
  set(L, "sm_max_mhz", device.max_clock(nvml::kSm));
  set(L, "mem_mhz", device.clock(nvml::kMemory));
  set(L, "mem_max_mhz", device.max_clock(nvml::kMemory));
  const std::vector<unsigned> memory_clocks = device.memory_clocks();
  if (!memory_clocks.empty()) set(L, "mem_supported_mhz", memory_clocks);
  const std::vector<unsigned> sm_clocks = device.sm_clocks(memory_clocks.empty() ? 0 : memory_clocks.front());
  if (!sm_clocks.empty()) set(L, "sm_supported_mhz", sm_clocks);
  set(L, "temperature_c", device.temperature());
  if (const auto utilization = device.utilization()) set(L, "utilization_percent", utilization->gpu);
  if (const auto memory = device.memory()) {
    set(L, "memory_bytes", memory->total);
    set(L, "memory_used_bytes", memory->used);
    set(L, "memory_free_bytes", memory->free);
  }
  if (const auto reasons = device.event_reasons()) set(L, "reasons", reason_words(*reasons));
  return 1;
}

// With `instance`, M of "N:M", for an instance (MIG).
int push(lua_State* L, const Part& part) {
  REG_PUSH(L, part, uuid, name);
  set(L, "index", part.device.index());
  if (const auto colon = part.index.find(':'); colon != std::string::npos)
    set(L, "instance", std::stoi(part.index.substr(colon + 1)));
  return 1;
}

}  // namespace reg::gpu

REG_TABLE(reg::gpu, Spread, min, median, max, mean)

namespace reg::lua {
namespace {

using gpu::ClockLock;
using gpu::Device;
using gpu::Nvml;

// One session, opened at the first use and kept: without persistence mode each new one costs a second.
std::shared_ptr<Nvml> session() {
  static std::shared_ptr<Nvml> kept;
  if (!kept) kept = Nvml::open();
  if (kept->count() == 0)
    throw Error(ErrorKind::unavailable, "the driver finds no GPU",
                "Check with nvidia-smi -L or amd-smi list; start a container with its GPUs.");
  return kept;
}

// "0" or "GPU-...", from a number or a string; `otherwise` for nothing.
std::string check_which(lua_State* L, int index, const std::string& what, const char* otherwise = nullptr) {
  if (lua_isnoneornil(L, index) && otherwise != nullptr) return otherwise;
  if (lua_isinteger(L, index) != 0 && lua_tointeger(L, index) >= 0) return std::to_string(lua_tointeger(L, index));
  if (lua_type(L, index) == LUA_TSTRING) return text_at(L, index);
  throw misuse(L, what + " must be an index or a \"GPU-...\" UUID, not " + type_name(L, index));
}

// An option that names GPUs, as Device::list takes it; nothing means those that programs see.
std::string which_option(lua_State* L, const Options& options, const char* key) {
  std::string which = check_which(L, options.push(key), fmt::format("'{}'", key), "visible");
  lua_pop(L, 1);
  return which;
}

std::string which_words(const std::string& which) {
  return which == "visible" ? "the visible GPUs" : which == "all" ? "all GPUs" : "GPU " + which;
}

// Throws if programs see none.
template <class T>
std::vector<T> some(std::vector<T> gpus) {
  if (gpus.empty())
    throw Error(ErrorKind::unavailable, visible_devices() + std::string(" hides all GPUs"),
                "Unset it, or name the GPUs.");
  return gpus;
}

std::vector<Device> devices_of(const std::string& which) { return some(Device::list(session(), which)); }

std::vector<gpu::Part> parts_of(const std::string& which) { return some(gpu::parts_of(session(), which)); }

// --- devices ---------------------------------------------------------------------------------------------------------
int status(lua_State* L) {
  admit(L, {EffectKind::gpu, "look for GPUs", {}, false});
  return push(L, presence_of([] { session(); }));
}

int list(lua_State* L) {
  const std::string which = check_which(L, 1, "the GPU", "all");
  admit(L, {EffectKind::gpu, "list the GPUs", {}, false});
  return push(L, Device::list(session(), which));
}

int get(lua_State* L) {
  const std::string which = check_which(L, 1, "the GPU");
  admit(L, {EffectKind::gpu, "look at GPU " + which, {}, false});
  return push(L, Device::find(session(), which));
}

// --- monitor ---------------------------------------------------------------------------------------------------------
void set_summary(lua_State* L, const gpu::Summary& summary) {
  REG_SET(L, summary, seconds, samples, power_limit_w, memory_peak_bytes, own_peak_bytes, throttle_s, throttled, used,
          sm_mhz, busy_sm_mhz, temperature_c, power_w, foreign);
  const bool counted = summary.some_counted, sampled = summary.some_sampled;
  set(L, "throttle_from", counted && sampled ? "both" : counted ? "counters" : sampled ? "samples" : "none");
  REG_SET_SOME(L, summary, faults, lost);
}

// Ends with the object, also in another process. `summaries` is empty until it has ended.
struct Monitor {
  std::vector<Device> devices;
  gpu::StopMonitor stop;
  std::vector<gpu::Summary> summaries;

  ~Monitor() {
    try {
      if (summaries.empty()) stop();
    } catch (const std::exception&) {
      return;  // it ends with the process that samples
    }
  }
};

int stop_monitor(lua_State* L, Monitor& monitor) {
  if (monitor.summaries.empty()) monitor.summaries = monitor.stop();
  lua_createtable(L, 0, 16);
  set_summary(L, monitor.summaries.at(0));
  std::size_t at = 0;
  set(L, "gpus", monitor.devices, [&](lua_State* state, const Device& device) {
    lua_createtable(state, 0, 16);
    REG_SET(state, device, index, uuid, name);
    set_summary(state, monitor.summaries.at(++at));
  });
  return 1;
}

std::shared_ptr<Monitor> monitor(lua_State* L, const Options& options) {
  const double period_s = options.duration("period_s").value_or(0.1);
  if (!(period_s > 0)) throw misuse(L, "'period_s' must be greater than 0");
  const std::string which = which_option(L, options, "device");
  admit(L, {EffectKind::gpu, "sample " + which_words(which), {}, false});
  auto made = std::make_shared<Monitor>();
  made->devices = devices_of(which);
  made->stop = gpu::monitor(made->devices, period_s);
  return made;
}

// --- lock ------------------------------------------------------------------------------------------------------------
// What a script holds: the clock locks of one or all GPUs, or the reason why there are none.
struct Lock {
  std::string asked;
  std::string why;        // "" while locked
  gpu::ClockLocks locks;  // of all requested GPUs, or none
  bool closed = false;

  ~Lock() { close(); }

  bool locked() const { return !locks.each().empty(); }
  std::optional<std::string> reason() const { return locked() ? std::nullopt : std::optional(why); }
  std::optional<unsigned> sm_mhz() const { return locked() ? first().sm_mhz : std::nullopt; }
  std::optional<unsigned> mem_mhz() const { return locked() ? first().memory_mhz : std::nullopt; }
  const gpu::ClockPlan& first() const { return locks.each().front().plan; }

  void close() {
    if (locked()) why = "closed";
    closed = true;
    for (const std::string& failure : locks.unlock())
      terminal::console().write_err("warning: " + failure +
                                    "; regengine retries when it exits, and 'regengine recover' retries as well\n");
  }
};

std::vector<std::weak_ptr<Lock>> all_locks;  // that scripts have requested, oldest first; some may be gone

std::string clock_option(lua_State* L, const Options& options, const char* key) {
  if (!options.has(key)) return "";
  const int value = options.push(key), type = lua_type(L, value);
  if (type != LUA_TNUMBER && type != LUA_TSTRING)
    throw misuse(
        L, fmt::format("'{}' must be a string such as \"80%\" or a number in MHz, not {}", key, type_name(L, value)));
  std::string text = type == LUA_TNUMBER ? fmt::format("{:g}", lua_tonumber(L, value)) : text_at(L, value);
  lua_pop(L, 1);
  return text;
}

std::shared_ptr<Lock> lock(lua_State* L, const Options& options) {
  auto result = std::make_shared<Lock>();
  const gpu::ClockRequest wanted{clock_option(L, options, "sm"), clock_option(L, options, "mem")};
  result->asked = wanted.words();
  if (result->asked.empty()) throw misuse(L, "needs 'sm' or 'mem'", R"(Write reg.gpu.lock { sm = "80%" }.)");
  const std::string which = which_option(L, options, "device");
  const bool required = options.flag("required");
  if (!admit(L, {EffectKind::gpu,
                 fmt::format("lock the clocks of {}: {}", which_words(which), result->asked),
                 {{EffectKind::gpu, {"lock"}}}})) {
    result->why = "dry run";
  } else {
    try {
      result->locks = gpu::ClockLocks(devices_of(which), wanted, machine_ledger);
    } catch (const Error& error) {
      const bool unable = error.kind() == ErrorKind::permission || error.kind() == ErrorKind::unavailable;
      if (required || !unable) throw;
      result->why = error.what() + (error.hint().empty() ? "" : ". " + error.hint());
      terminal::console().write_err("warning: clocks not locked: " + result->why + "\n");
    }
  }
  if (!Vm::of(L).settings().quiet)
    for (const ClockLock& lock : result->locks.each())
      terminal::console().write_err(lock.device.title() + ": locked: " + lock.plan.description + "\n");
  all_locks.push_back(result);
  return result;
}

int push_locked_gpus(lua_State* L, const Lock& lock) {
  return push_list(L, lock.locks.each(), [](lua_State* state, const ClockLock& one) {
    REG_PUSH(state, one.device, index, uuid, name);
    set(state, "sm_mhz", one.plan.sm_mhz);
    set(state, "mem_mhz", one.plan.memory_mhz);
  });
}

// --- lease -----------------------------------------------------------------------------------------------------------
int lease(lua_State* L, const Options& options) {
  gpu::LeaseRequest request{parts_of(which_option(L, options, "gpus")), 0};
  const auto count = options.integer("count");
  if (count && *count < 1) throw misuse(L, "'count' must be at least 1");
  request.count = count ? static_cast<std::size_t>(*count) : request.pool.size();
  gpu::check_request(request);
  const auto patience_s = options.duration("timeout_s");
  Effect effect{EffectKind::gpu, fmt::format("lease {} of {}", request.count, gpu::title_of(request.pool)), {}};
  effect.identity = fmt::format("lease {}", request.count);  // which of several equal ones it gets changes nothing
  if (!admit(L, effect)) return push(L, gpu::Lease::pretend(request));
  return await(L, gpu::lease(Vm::of(L).loop(), std::move(request), patience_s));
}

int leased_gpus(lua_State* L, const gpu::Lease& lease) {
  return push_list(L, lease.gpus(), [](lua_State* state, const gpu::Lease::Gpu& one) {
    push(state, one.part);
    if (!one.cpus.empty()) set(state, "cpus", machine::format_cpus(one.cpus));
  });
}

std::optional<std::string> leased_cpus(const gpu::Lease& lease) {
  const std::string cpus = machine::format_cpus(lease.cpus());
  return cpus.empty() ? std::nullopt : std::optional(cpus);
}

}  // namespace

int gpu_parts(lua_State* L) { return push(L, parts_of(check_string(L, 1, "the GPUs"))); }

std::string cuda_words(const std::string& which) {
  std::vector<std::string> uuids;
  for (gpu::Part& part : parts_of(which)) uuids.push_back(std::move(part.uuid));
  return join(uuids, ",");
}

std::string suggested_clock(const std::string& which) { return gpu::suggested_clock(devices_of(which).front()); }

int gpu_locks(lua_State* L) {
  lua_newtable(L);
  lua_Integer count = 0;
  for (const auto& one : all_locks) {
    const auto lock = one.lock();
    if (!lock || lock->closed) continue;
    REG_PUSH(L, *lock, asked, locked);
    REG_SET_SOME(L, *lock, why);
    set(L, "gpus", *lock, push_locked_gpus);
    lua_rawseti(L, -2, ++count);
  }
  return 1;
}

std::vector<Function> bind_gpu(lua_State* L) {
  register_class<Monitor>(L, "gpu.Monitor", {{"stop", call<stop_monitor>}, {"close", close_object<Monitor>}});
  register_class<Lock>(L, "gpu.Lock",
                       {REG_PROPERTIES(Lock, locked, asked, sm_mhz, mem_mhz),
                        REG_METHODS(Lock, close),
                        {".why", call<&Lock::reason>},
                        {".gpus", call<push_locked_gpus>}});
  register_class<gpu::Lease>(L, "gpu.Lease",
                             {REG_PROPERTIES(gpu::Lease, waited_s),
                              {".gpus", call<leased_gpus>},
                              {".cpus", call<leased_cpus>},
                              {"close", close_object<gpu::Lease>}});
  return {REG_FUNCTIONS(status, list, get),
          {"monitor", call<monitor>, "device period_s"},
          {"lock", call<lock>, "sm mem device required"},
          {"lease", call<lease>, "gpus count timeout_s"}};
}

}  // namespace reg::lua
