// A libcuda.so.1 without a GPU: memory is the host's, time is virtual, and each kernel takes as long as a file says.
//
// $REGENGINE_FAKE_CUDA names that file; a line each, '#' begins a comment:
//   devices N                   how many GPUs (1); 0 makes cuInit answer 100
//   device KEY VALUE ...        of each: name (underscores are blanks), cc 9.0, sms, clock_mhz, l2, memory
//   kernel NAME US KEY VALUE .. how long it takes; noise (relative, normal), drift (relative, each launch), cold (more
//                               microseconds where the L2 was written over since the last kernel that has this), params
//                               8,8,4 (the arguments' sizes; without it they cannot be asked for)
//   throttle FROM TO FACTOR     launches FROM to TO, counted from 1, run at this part of the clock; the internal
//   kernels of
//                               timing (regengine_*) do not count
//   clock FACTOR                all do, and all that lies between
//   host_us US                  what each call costs the host (1)
//   seed N                      of the noise
//   fail FUNCTION CODE at N     the N-th call of it answers CODE; codes 700 to 719 stay, as after a broken kernel
//   wait FUNCTION               each call of it waits for all work first, as allocating and loading may
//   log FILE                    each call as it comes, a line each
//
// Streams queue work and the device runs it on its own clock: a launch begins when it was queued or when the stream is
// ready, whichever is later. Who waits for work behind the blocking kernel, whose flag was not set, waits until the
// kernel's limit, as on a real GPU: "DEADLOCK" in the log.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Ptr = unsigned long long;

enum Code {
  kOk = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
};

// --- the script ----------------------------------------------------------------------------------------------------
struct KernelTimes {
  double us = 10, noise = 0, drift = 0, cold_us = 0;
  std::vector<std::size_t> params;
  bool has_params = false;
};

struct Throttle {
  long from, to;
  double factor;
};

struct Failure {
  int code;
  long at;
};

struct Script {
  int devices = 1;
  std::string name = "Fake GPU";
  int major = 9, minor = 0, sms = 4;
  double clock_mhz = 1980;
  std::size_t l2 = 1 << 20, memory = std::size_t{1} << 33;
  std::map<std::string, KernelTimes> kernels;
  std::vector<Throttle> throttles;
  double clock_factor = 1, host_us = 1;
  std::uint64_t seed = 1;
  std::multimap<std::string, Failure> failures;
  std::set<std::string> waiting;
  std::string log;
};

void read_device(std::istringstream& words, Script& s) {
  std::string key, value;
  while (words >> key >> value) {
    if (key == "name") std::replace(value.begin(), value.end(), '_', ' '), s.name = value;
    if (key == "cc") s.major = std::stoi(value), s.minor = std::stoi(value.substr(value.find('.') + 1));
    if (key == "sms") s.sms = std::stoi(value);
    if (key == "clock_mhz") s.clock_mhz = std::stod(value);
    if (key == "l2") s.l2 = std::stoull(value);
    if (key == "memory") s.memory = std::stoull(value);
  }
}

void read_kernel(std::istringstream& words, Script& s) {
  std::string name, key, value;
  words >> name;
  KernelTimes& k = s.kernels[name];
  words >> k.us;
  while (words >> key >> value) {
    if (key == "noise") k.noise = std::stod(value);
    if (key == "drift") k.drift = std::stod(value);
    if (key == "cold") k.cold_us = std::stod(value);
    if (key == "params") {
      k.has_params = true;
      std::istringstream sizes(value);
      for (std::string size; std::getline(sizes, size, ',');) k.params.push_back(std::stoull(size));
    }
  }
}

Script read_script() {
  Script s;
  const char* path = std::getenv("REGENGINE_FAKE_CUDA");
  std::ifstream file(path == nullptr ? "" : path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string what, text;
    words >> what;
    if (what == "devices") words >> s.devices;
    if (what == "device") read_device(words, s);
    if (what == "kernel") read_kernel(words, s);
    if (what == "clock") words >> s.clock_factor;
    if (what == "host_us") words >> s.host_us;
    if (what == "seed") words >> s.seed;
    if (what == "log") words >> s.log;
    if (what == "wait") {
      words >> text;
      s.waiting.insert(text);
    }
    if (what == "throttle") {
      Throttle t{};
      words >> t.from >> t.to >> t.factor;
      s.throttles.push_back(t);
    }
    if (what == "fail") {
      Failure f{0, 1};
      std::string at;
      words >> text >> f.code >> at >> f.at;
      s.failures.emplace(text, f);
    }
  }
  return s;
}

// --- the machine -----------------------------------------------------------------------------------------------------
struct Module {
  std::string image;
};

struct Function {
  std::string name;
  KernelTimes times;
};

struct Event {
  int pending = 0;
  bool recorded = false;
  double ns = 0;
};

struct Wait {  // of the blocking kernel
  const volatile std::uint32_t* flag;
  volatile std::uint32_t* timed_out;
  double limit_ns;
  bool expired = false;
};

struct Op {
  std::function<double(double)> run;  // begins at this time, returns when it ends
  std::shared_ptr<Wait> wait;
  Event* event = nullptr;  // waited for
  double queued_ns = 0;
};

struct Graph {
  std::vector<Op> ops;
};

struct Stream {
  std::deque<Op> queue;
  double ready_ns = 0;
  std::unique_ptr<Graph> capture;
  bool broken = false;
};

struct Machine {
  Script script = read_script();
  std::ofstream log{script.log.empty() ? "/dev/null" : script.log, std::ios::app};
  std::map<std::string, long> calls;
  int sticky = 0;
  double host_ns = 1e9;
  long launches = 0;
  std::uint64_t random = script.seed;
  bool flushed = false;
  double clock_ns = 0, cycles = 0;  // the SM's cycle counter, and when it had that value
  std::map<Ptr, std::size_t> memory;
  std::size_t used = 0;
  std::vector<std::unique_ptr<Stream>> streams;
  Stream default_stream;

  double uniform() {
    random += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }

  void pass(double to_ns, double factor) {
    if (to_ns <= clock_ns) return;
    cycles += (to_ns - clock_ns) * script.clock_mhz * factor / 1e3;
    clock_ns = to_ns;
  }

  double run_kernel(const KernelTimes& k, double begin) {
    ++launches;
    double factor = script.clock_factor;
    for (const Throttle& t : script.throttles)
      if (launches >= t.from && launches <= t.to) factor = t.factor;
    double us = k.us * (1 + k.drift * static_cast<double>(launches));
    if (k.noise > 0) us *= 1 + k.noise * normal();
    if (flushed && k.cold_us > 0) {
      us += k.cold_us;
      flushed = false;
    }
    pass(begin, script.clock_factor);
    const double end = begin + std::max(us, 0.001) * 1e3 / factor;
    pass(end, factor);
    return end;
  }

  bool run_front(Stream& s) {
    if (s.queue.empty()) return false;
    Op& op = s.queue.front();
    const double begin = std::max(s.ready_ns, op.queued_ns);
    if (op.wait) {
      if (*op.wait->flag == 0 && !op.wait->expired) return false;
      s.ready_ns = std::max(begin, host_ns);
    } else if (op.event != nullptr) {
      if (op.event->pending > 0) return false;
      s.ready_ns = std::max(begin, op.event->ns);
    } else {
      s.ready_ns = op.run(begin);
    }
    s.queue.pop_front();
    return true;
  }

  void drain() {
    bool more = true;
    while (more) {
      more = run_front(default_stream);
      for (const auto& s : streams) more = run_front(*s) || more;
    }
  }

  // The host waits for work that waits for the host: nothing happens until the blocking kernel gives up.
  bool expire_waits() {
    bool any = false;
    const auto expire = [&](Stream& s) {
      if (s.queue.empty() || !s.queue.front().wait) return;
      Wait& wait = *s.queue.front().wait;
      host_ns = std::max(host_ns, std::max(s.ready_ns, s.queue.front().queued_ns) + wait.limit_ns);
      wait.expired = true;
      *wait.timed_out = 1;
      any = true;
    };
    expire(default_stream);
    for (const auto& s : streams) expire(*s);
    if (any) log << "DEADLOCK" << std::endl;
    drain();
    return any;
  }

  void wait(const std::function<bool()>& until) {
    drain();
    while (!until() && expire_waits()) {
    }
  }

  bool idle() const {
    return default_stream.queue.empty() &&
           std::all_of(streams.begin(), streams.end(), [](const auto& s) { return s->queue.empty(); });
  }

  void wait_all() {
    wait([this] { return idle(); });
    for (const auto& s : streams) host_ns = std::max(host_ns, s->ready_ns);
  }

  bool capturing() const {
    return std::any_of(streams.begin(), streams.end(), [](const auto& s) { return s->capture != nullptr; });
  }

  int refuse_in_capture() {
    for (const auto& s : streams)
      if (s->capture) s->broken = true;
    return kCaptureUnsupported;
  }

  bool inside(Ptr at, std::size_t size) const {
    auto after = memory.upper_bound(at);
    if (after == memory.begin()) return false;
    --after;
    return at + size <= after->first + after->second;
  }
};

std::mutex mutex;

Machine& machine() {
  static Machine m;
  return m;
}

Stream& stream_of(void* handle) { return handle == nullptr ? machine().default_stream : *static_cast<Stream*>(handle); }

void enqueue(void* handle, Op op) {
  Stream& s = stream_of(handle);
  if (s.capture) {
    s.capture->ops.push_back(std::move(op));
    return;
  }
  op.queued_ns = machine().host_ns;
  s.queue.push_back(std::move(op));
  machine().drain();
}

void enqueue(void* handle, std::function<double(double)> run) {
  enqueue(handle, Op{std::move(run), nullptr, nullptr, 0});
}

// Counts and logs a call, lets time pass, and says what it is to answer before it begins.
int enter(const char* function, const std::string& detail = "") {
  Machine& m = machine();
  m.log << function << (detail.empty() ? "" : " " + detail) << std::endl;
  m.host_ns += m.script.host_us * 1e3;
  m.drain();
  if (m.script.waiting.count(function) > 0) m.wait_all();
  const long call = ++m.calls[function];
  const auto [first, last] = m.script.failures.equal_range(function);
  for (auto f = first; f != last; ++f) {
    if (f->second.at != call) continue;
    if (f->second.code >= 700 && f->second.code <= 719) m.sticky = f->second.code;
    return f->second.code;
  }
  return m.sticky;
}

#define ENTER(...)                   \
  const std::lock_guard lock(mutex); \
  if (const int entered = enter(__func__ __VA_OPT__(, ) __VA_ARGS__); entered != 0) return entered

// By now, on the host's clock.
bool reached(const Event& event) { return event.pending == 0 && event.ns <= machine().host_ns; }

template <class T>
T* pointer(Ptr at) {
  return reinterpret_cast<T*>(at);
}

template <class T>
T parameter(void** parameters, int i) {
  T value;
  std::memcpy(&value, parameters[i], sizeof value);
  return value;
}

std::size_t image_size(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  if (std::memcmp(bytes,
                  "\x7f"
                  "ELF",
                  4) != 0)
    return std::strlen(bytes);
  std::uint64_t sections = 0;
  std::uint16_t size = 0, count = 0;
  std::memcpy(&sections, bytes + 0x28, sizeof sections);
  std::memcpy(&size, bytes + 0x3a, sizeof size);
  std::memcpy(&count, bytes + 0x3c, sizeof count);
  return sections + std::size_t{size} * count;
}

// The clock stamps: every SM's cycles and the GPU's nanoseconds.
double stamp(Ptr out, unsigned slots, double begin) {
  Machine& m = machine();
  const double end = begin + 1000;
  m.pass(end, m.script.clock_factor);
  auto* words = pointer<std::uint64_t>(out);
  for (unsigned sm = 0; sm < std::min(static_cast<unsigned>(m.script.sms), slots); ++sm) {
    words[2 * sm] = static_cast<std::uint64_t>(m.cycles) + 1000 * sm;
    words[2 * sm + 1] = static_cast<std::uint64_t>(end);
  }
  return end;
}

struct Words {
  int code;
  const char* name;
  const char* words;
};

constexpr Words kWords[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
};

const Words* words_of(int code) {
  for (const Words& w : kWords)
    if (w.code == code) return &w;
  return nullptr;
}

}  // namespace

// As the driver does: a tool's library, for as long as the process lives.
static void load_injection() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW);
  void* initialize = library == nullptr ? nullptr : dlsym(library, "InitializeInjection");
  if (initialize != nullptr) reinterpret_cast<int (*)()>(initialize)();
}

extern "C" {

// --- the driver and its GPUs
// -------------------------------------------------------------------------------------------
int cuInit(unsigned) {
  ENTER();
  load_injection();
  return machine().script.devices > 0 ? kOk : kNoDevice;
}

// NVRTC asks for tables of whatever it finds as libcuda, unchecked: there are none.
int cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return kNotFound;
}

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return kOk;
}

int cuGetErrorName(int code, const char** name) {
  const Words* words = words_of(code);
  *name = words != nullptr ? words->name : nullptr;
  return words != nullptr ? kOk : kInvalidValue;
}

int cuGetErrorString(int code, const char** text) {
  const Words* words = words_of(code);
  *text = words != nullptr ? words->words : nullptr;
  return words != nullptr ? kOk : kInvalidValue;
}

int cuDeviceGetCount(int* count) {
  ENTER();
  *count = machine().script.devices;
  return kOk;
}

int cuDeviceGet(int* device, int index) {
  ENTER();
  if (index < 0 || index >= machine().script.devices) return kInvalidDevice;
  *device = index;
  return kOk;
}

int cuDeviceGetName(char* name, int size, int) {
  ENTER();
  std::snprintf(name, static_cast<std::size_t>(size), "%s", machine().script.name.c_str());
  return kOk;
}

int cuDeviceGetUuid(char* uuid, int device) {
  ENTER();
  for (int i = 0; i < 16; ++i) uuid[i] = static_cast<char>(i * 16 + device);
  return kOk;
}

int cuDeviceGetPCIBusId(char* id, int size, int device) {
  ENTER();
  std::snprintf(id, static_cast<std::size_t>(size), "0000:%02X:00.0", device + 1);
  return kOk;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  ENTER();
  const Script& s = machine().script;
  switch (attribute) {
    case 13:
      *value = static_cast<int>(s.clock_mhz * 1000);
      return kOk;
    case 16:
      *value = s.sms;
      return kOk;
    case 38:
      *value = static_cast<int>(s.l2);
      return kOk;
    case 75:
      *value = s.major;
      return kOk;
    case 76:
      *value = s.minor;
      return kOk;
    default:
      return kInvalidValue;
  }
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  ENTER();
  *bytes = machine().script.memory;
  return kOk;
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  ENTER();
  *context = &machine();
  return kOk;
}

int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER();
  return kOk;
}

int cuCtxSetCurrent(void*) { return kOk; }

int cuCtxSynchronize() {
  ENTER();
  if (machine().capturing()) return machine().refuse_in_capture();
  machine().wait_all();
  return kOk;
}

int cuProfilerStart() {
  ENTER();
  return kOk;
}

int cuProfilerStop() {
  ENTER();
  return kOk;
}

// --- memory ----------------------------------------------------------------------------------------------------------
int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total) {
  ENTER();
  *total = machine().script.memory;
  *free_bytes = *total - machine().used;
  return kOk;
}

int cuMemAlloc_v2(Ptr* at, std::size_t size) {
  ENTER(std::to_string(size));
  Machine& m = machine();
  if (size == 0) return kInvalidValue;
  if (m.used + size > m.script.memory) return kOutOfMemory;
  *at = reinterpret_cast<Ptr>(std::calloc(1, size));
  m.memory[*at] = size;
  m.used += size;
  return kOk;
}

int cuMemFree_v2(Ptr at) {
  ENTER();
  Machine& m = machine();
  const auto found = m.memory.find(at);
  if (found == m.memory.end()) return kInvalidValue;
  m.wait_all();  // as the real one does
  m.used -= found->second;
  m.memory.erase(found);
  std::free(pointer<void>(at));
  return kOk;
}

int cuMemHostAlloc(void** at, std::size_t size, unsigned) {
  ENTER();
  *at = std::calloc(1, size);
  return kOk;
}

int cuMemHostGetDevicePointer_v2(Ptr* device, void* host, unsigned) {
  ENTER();
  *device = reinterpret_cast<Ptr>(host);
  return kOk;
}

int cuMemFreeHost(void* at) {
  ENTER();
  machine().wait_all();
  std::free(at);
  return kOk;
}

int cuMemcpyHtoDAsync_v2(Ptr to, const void* from, std::size_t size, void* stream) {
  ENTER(std::to_string(size));
  if (!machine().inside(to, size)) return kInvalidValue;
  std::string data(static_cast<const char*>(from), size);  // pageable memory is read before the call returns
  enqueue(stream, [to, data = std::move(data)](double begin) {
    std::memcpy(pointer<char>(to), data.data(), data.size());
    return begin + 1000;
  });
  return kOk;
}

int cuMemcpyDtoHAsync_v2(void* to, Ptr from, std::size_t size, void* stream) {
  ENTER(std::to_string(size));
  if (!machine().inside(from, size)) return kInvalidValue;
  enqueue(stream, [=](double begin) {
    std::memcpy(to, pointer<char>(from), size);
    return begin + 1000;
  });
  return kOk;
}

int cuMemcpyDtoDAsync_v2(Ptr to, Ptr from, std::size_t size, void* stream) {
  ENTER(std::to_string(size));
  if (!machine().inside(to, size) || !machine().inside(from, size)) return kInvalidValue;
  enqueue(stream, [=](double begin) {
    std::memcpy(pointer<char>(to), pointer<char>(from), size);
    return begin + 1000;
  });
  return kOk;
}

int cuMemsetD8Async(Ptr at, unsigned char value, std::size_t size, void* stream) {
  ENTER(std::to_string(size));
  if (!machine().inside(at, size)) return kInvalidValue;
  enqueue(stream, [=](double begin) {
    std::memset(pointer<char>(at), value, size);
    if (size >= machine().script.l2) machine().flushed = true;
    return begin + 1000;
  });
  return kOk;
}

// --- streams and events ----------------------------------------------------------------------------------------------
int cuStreamCreate(void** stream, unsigned) {
  ENTER();
  machine().streams.push_back(std::make_unique<Stream>());
  *stream = machine().streams.back().get();
  return kOk;
}

int cuStreamDestroy_v2(void* stream) {
  ENTER();
  machine().wait_all();
  std::erase_if(machine().streams, [=](const auto& s) { return s.get() == stream; });
  return kOk;
}

int cuStreamSynchronize(void* stream) {
  ENTER();
  if (machine().capturing()) return machine().refuse_in_capture();
  Stream& s = stream_of(stream);
  machine().wait([&] { return s.queue.empty(); });
  machine().host_ns = std::max(machine().host_ns, s.ready_ns);
  return kOk;
}

int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  ENTER();
  enqueue(stream, Op{nullptr, nullptr, static_cast<Event*>(event), 0});
  return kOk;
}

int cuEventCreate(void** event, unsigned) {
  ENTER();
  *event = new Event;
  return kOk;
}

int cuEventDestroy_v2(void* event) {
  ENTER();
  machine().wait_all();
  delete static_cast<Event*>(event);
  return kOk;
}

int cuEventRecord(void* event, void* stream) {
  ENTER();
  auto* e = static_cast<Event*>(event);
  e->recorded = true;
  ++e->pending;
  enqueue(stream, [e](double begin) {
    e->ns = begin;
    --e->pending;
    return begin;
  });
  return kOk;
}

int cuEventQuery(void* event) {
  ENTER();
  return reached(*static_cast<Event*>(event)) ? kOk : kNotReady;
}

int cuEventSynchronize(void* event) {
  ENTER();
  if (machine().capturing()) return machine().refuse_in_capture();
  const auto* e = static_cast<Event*>(event);
  machine().wait([e] { return e->pending == 0; });
  machine().host_ns = std::max(machine().host_ns, e->ns);
  return kOk;
}

int cuEventElapsedTime(float* ms, void* start, void* end) {
  ENTER();
  const auto* a = static_cast<Event*>(start);
  const auto* b = static_cast<Event*>(end);
  if (!a->recorded || !b->recorded) return kInvalidHandle;
  if (!reached(*a) || !reached(*b)) return kNotReady;
  *ms = static_cast<float>((b->ns - a->ns) / 1e6);
  return kOk;
}

// --- kernels ---------------------------------------------------------------------------------------------------------
int cuModuleLoadData(void** module, const void* image) {
  ENTER();
  std::string bytes(static_cast<const char*>(image), image_size(image));
  if (!bytes.starts_with("\x7f"
                         "ELF") &&
      bytes.find(".entry") == std::string::npos)
    return kInvalidImage;
  *module = new Module{std::move(bytes)};
  return kOk;
}

int cuModuleUnload(void* module) {
  ENTER();
  delete static_cast<Module*>(module);
  return kOk;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER(name);
  if (static_cast<Module*>(module)->image.find(name) == std::string::npos) return kNotFound;
  static std::deque<Function> functions;  // they live as long as their module: for ever
  functions.push_back({name, machine().script.kernels[name]});
  *function = &functions.back();
  return kOk;
}

int cuFuncSetAttribute(void*, int attribute, int value) {
  ENTER(std::to_string(attribute) + " " + std::to_string(value));
  return kOk;
}

int cuFuncGetParamInfo(void* function, std::size_t index, std::size_t* offset, std::size_t* size) {
  ENTER();
  const auto* f = static_cast<Function*>(function);
  if (!f->times.has_params) return kNotFound;
  if (index >= f->times.params.size()) return kInvalidValue;
  *offset = 0;
  for (std::size_t i = 0; i < index; ++i) *offset += f->times.params[i];
  *size = f->times.params[index];
  return kOk;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** parameters, void**) {
  const auto* f = static_cast<Function*>(function);
  std::ostringstream what;
  what << f->name << " " << gx << "," << gy << "," << gz << " " << bx << "," << by << "," << bz << " " << shared;
  ENTER(what.str());
  if (gx * gy * gz == 0 || bx * by * bz == 0 || bx * by * bz > 1024) return kInvalidValue;
  if (f->name == "regengine_wait") {
    auto wait = std::make_shared<Wait>();
    wait->flag = pointer<std::uint32_t>(parameter<Ptr>(parameters, 0));
    wait->timed_out = pointer<std::uint32_t>(parameter<Ptr>(parameters, 1));
    wait->limit_ns = static_cast<double>(parameter<std::uint64_t>(parameters, 2));
    enqueue(stream, Op{nullptr, wait, nullptr, 0});
  } else if (f->name == "regengine_stamp") {
    const auto out = parameter<Ptr>(parameters, 0);
    const auto slots = parameter<std::uint32_t>(parameters, 1);
    enqueue(stream, [=](double begin) { return stamp(out, slots, begin); });
  } else {
    enqueue(stream, [times = f->times](double begin) { return machine().run_kernel(times, begin); });
  }
  return kOk;
}

// For the fake cuBLAS: a kernel that does something. `us` is how long it takes where the script does not say.
int regengine_fake_launch(void* stream, const char* name, double us, void (*work)(const void*), const void* data,
                          std::size_t size) {
  const std::lock_guard lock(mutex);
  if (const int code = enter("cublas", name); code != 0) return code;
  const auto& kernels = machine().script.kernels;
  const auto found = kernels.find(name);
  KernelTimes times;
  times.us = us;
  if (found != kernels.end()) times = found->second;
  std::string copy(static_cast<const char*>(data), size);
  enqueue(stream, [=](double begin) {
    work(copy.data());
    return machine().run_kernel(times, begin);
  });
  return kOk;
}

// --- graphs ----------------------------------------------------------------------------------------------------------
int cuStreamBeginCapture_v2(void* stream, int) {
  ENTER();
  Stream& s = stream_of(stream);
  s.capture = std::make_unique<Graph>();
  s.broken = false;
  return kOk;
}

int cuStreamEndCapture(void* stream, void** graph) {
  ENTER();
  Stream& s = stream_of(stream);
  auto captured = std::move(s.capture);
  if (s.broken) return kCaptureInvalidated;
  *graph = captured.release();
  return kOk;
}

int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  ENTER();
  *executable = new Graph(*static_cast<Graph*>(graph));
  return kOk;
}

int cuGraphUpload(void*, void*) {
  ENTER();
  return kOk;
}

int cuGraphLaunch(void* executable, void* stream) {
  ENTER(std::to_string(static_cast<Graph*>(executable)->ops.size()));
  for (const Op& op : static_cast<Graph*>(executable)->ops) enqueue(stream, op);
  return kOk;
}

int cuGraphExecDestroy(void* executable) {
  ENTER();
  machine().wait_all();
  delete static_cast<Graph*>(executable);
  return kOk;
}

int cuGraphDestroy(void* graph) {
  ENTER();
  delete static_cast<Graph*>(graph);
  return kOk;
}

}  // extern "C"
