// clang-format off
/* A driver for machines without one: NVML as far as the engine asks it, with its state in a file, so that what was locked
 * outlives the process that locked it. Select it by REGENGINE_NVML=$REGENGINE_FAKES/nvml.so REGENGINE_FAKE_NVML=FILE.
 *
 * It imitates the drivers 535 to 590 on an H100, by the headers of NVML 12.4 to 13.3: the fields that count the time of a
 * clock event are 251 to 253 in 575 to 589 and 269 to 271 from 590 on, and power smoothing settings elsewhere; the idle
 * reason is not reported while clocks are locked (JuliaGPU/CUDA.jl pull request 2194); power is an average over a second
 * (GetPowerUsage), or of the moment (field 186); from 580 on application clocks are gone.
 *
 * FILE holds a `key=value` a line, each of them optional; it is read anew at every call, so a test may change it at any time
 * (write it beside and rename, as `sed -i` and reg.fs.write do). An absent file is a machine with one GPU in good order.
 *   gpus=1  driver=580.65.06  cuda=13000
 *   rc.FUNCTION=13        what this function answers, on every GPU; 13 = this driver does not have it
 *   gpu0.rc.FUNCTION=3    ... on the first GPU
 *   gpu0.lost=1           it fell off the bus: every call on it answers 15
 *   gpu0.uuid=GPU-...     (by the file's name)  gpu0.pci=00000000:01:00.0  gpu0.name=Fake GPU
 *   gpu0.max_sm=1980  gpu0.min_sm=345  (the supported list goes down from max_sm by 15)
 *   gpu0.max_mem=2619  gpu0.low_mem=1593  (the supported memory clocks)
 *   gpu0.sm=1980          what it runs at where nothing locks it; a lock clamps it
 *   gpu0.held_sm=1200     what it runs at whatever is locked: a clock that does not hold
 *   gpu0.temperature=45  gpu0.power_mw=350000  gpu0.limit_mw=700000  gpu0.energy_mj=1000000  gpu0.util=97  gpu0.mem_util=40
 *   gpu0.mem_total=85899345920  gpu0.mem_used=1073741824  gpu0.mem_reserved=536870912
 *   gpu0.persistence=1  gpu0.ecc=1  gpu0.mig=0  gpu0.pstate=0  gpu0.auto_boost=1
 *   gpu0.power_clock=1500 above this clock the power cap holds it there, with its reason and its counter
 *   gpu0.ecc_errors=0  gpu0.remapped=0  (volatile, uncorrected; rows)  gpu0.pcie_width=16
 *   gpu0.xid=0            each new number is an Xid event for those that registered before
 *   gpu0.instances=MIG-... MIG-...   its MIG instances: handles that answer nothing but whose they are
 *   gpu0.reasons=0x4      the event reasons of this moment, except idle while clocks are locked
 *   gpu0.throttled.sw_thermal=0.25   the counter of this reason goes on for a quarter of the time; it stands still where
 *                         absent (sw_power_cap, sw_thermal, hw_thermal, hw_power_brake)
 *   gpu0.power_now_mw=420000   the power of the moment, unless it is the average
 *   gpu0.procs=4711:1048576 self:2097152   PID:BYTES of compute processes; `self` is the caller
 *
 * FILE.log is what was done to the machine, a line a call in order: NANOSECONDS PID FUNCTION [UUID [MIN MAX]] of Init,
 * Shutdown, SetGpuLockedClocks, ResetGpuLockedClocks, SetMemoryLockedClocks and ResetMemoryLockedClocks, for those that
 * succeeded. The locks are what it says; the time is that of `date +%s%N`. */
// clang-format on
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef unsigned u;
typedef unsigned long long ull;
typedef void* dev;

enum { OK = 0, INVALID = 2, UNSUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, LOST = 15, VERSION = 25 };

/* --- the file ---------------------------------------------------------------------------------------------------- */
static const char* state_file(void) {
  const char* file = getenv("REGENGINE_FAKE_NVML");
  return file ? file : "/nonexistent";
}

static char* slurp(const char* path) {
  size_t size = 0, room = 4096;
  char* text = malloc(room);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = 0;
  while (fd >= 0 && (n = read(fd, text + size, room - size - 1)) > 0) {
    size += (size_t)n;
    if (room - size < 1024) text = realloc(text, room *= 2);
  }
  if (fd >= 0) close(fd);
  text[size] = '\0';
  return text;
}

/* The value of a key into `out`, or `otherwise`. */
static const char* value_of(const char* key, const char* otherwise, char* out, size_t room) {
  char* text = slurp(state_file());
  const size_t length = strlen(key);
  const char* found = otherwise;
  for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
    if (!strncmp(line, key, length) && line[length] == '=') found = line + length + 1;
  snprintf(out, room, "%s", found);
  free(text);
  return out;
}

static ull number(const char* key, ull otherwise) {
  char text[64], fallback[32];
  snprintf(fallback, sizeof fallback, "%llu", otherwise);
  return strtoull(value_of(key, fallback, text, sizeof text), NULL, 0);
}

static u index_of(dev d) { return (u)(uintptr_t)d - 1; }

static const char* gpu_text(u gpu, const char* name, const char* otherwise, char* out, size_t room) {
  char key[160];
  snprintf(key, sizeof key, "gpu%u.%s", gpu, name);
  return value_of(key, otherwise, out, room);
}

static ull gpu_number(u gpu, const char* name, ull otherwise) {
  char key[160];
  snprintf(key, sizeof key, "gpu%u.%s", gpu, name);
  return number(key, otherwise);
}

static const char* uuid_of(u gpu, char* out, size_t room) {
  char usual[64];
  u hash = 5381; /* of the file's name: engines lock a GPU for the whole machine, and tests run side by side */
  for (const char* c = state_file(); *c; ++c) hash = hash * 33 + (unsigned char)*c;
  snprintf(usual, sizeof usual, "GPU-%08x-0000-0000-0000-%012u", hash, gpu);
  return gpu_text(gpu, "uuid", usual, out, room);
}

static const char* pci_of(u gpu, char* out, size_t room) {
  char usual[64];
  snprintf(usual, sizeof usual, "00000000:%02X:00.0", gpu + 1);
  return gpu_text(gpu, "pci", usual, out, room);
}

/* What the test wants this function to answer. */
static int answer(const char* function) {
  char key[128];
  snprintf(key, sizeof key, "rc.%s", function);
  return (int)number(key, OK);
}

static int gpu_answer(dev d, const char* function) {
  char name[128];
  if (!d || index_of(d) >= number("gpus", 1)) return INVALID;
  if (gpu_number(index_of(d), "lost", 0)) return LOST;
  snprintf(name, sizeof name, "rc.%s", function);
  const int rc = (int)gpu_number(index_of(d), name, OK);
  return rc ? rc : answer(function);
}

#define ASK_LIBRARY()                 \
  do {                                \
    const int rc_ = answer(__func__); \
    if (rc_) return rc_;              \
  } while (0)
#define ASK(d)                               \
  do {                                       \
    const int rc_ = gpu_answer(d, __func__); \
    if (rc_) return rc_;                     \
  } while (0)

/* --- the log ------------------------------------------------------------------------------------------------------ */
static void note(const char* format, ...) {
  char path[4096], line[256], what[200];
  struct timespec t;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  clock_gettime(CLOCK_REALTIME, &t);
  const int size =
      snprintf(line, sizeof line, "%lld %d %s\n", (long long)t.tv_sec * 1000000000 + t.tv_nsec, (int)getpid(), what);
  snprintf(path, sizeof path, "%s.log", state_file());
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return;
  if (write(fd, line, (size_t)size) != size) abort();
  close(fd);
}

/* The lock that stands by the log: 1 with its range, or 0. */
static int locked(u gpu, const char* set, const char* reset, u* low, u* high) {
  char path[4096], uuid[96], function[64], whose[96];
  snprintf(path, sizeof path, "%s.log", state_file());
  uuid_of(gpu, uuid, sizeof uuid);
  char* text = slurp(path);
  int stands = 0;
  for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
    u a = 0, b = 0;
    if (sscanf(line, "%*s %*s %63s %95s %u %u", function, whose, &a, &b) < 2 || strcmp(whose, uuid)) continue;
    if (!strcmp(function, set)) stands = 1, *low = a, *high = b;
    if (!strcmp(function, reset)) stands = 0;
  }
  free(text);
  return stands;
}

/* --- library ------------------------------------------------------------------------------------------------------ */
int nvmlInit_v2(void) {
  ASK_LIBRARY();
  note("Init");
  return OK;
}
int nvmlShutdown(void) {
  note("Shutdown");
  return OK;
}
const char* nvmlErrorString(int rc) {
  static char text[64];
  static const struct {
    int rc;
    const char* text;
  } known[] = {{3, "Not Supported"},
               {4, "Insufficient Permissions"},
               {6, "Not Found"},
               {9, "Driver Not Loaded"},
               {13, "Function Not Found"},
               {15, "GPU is lost"},
               {18, "Driver/library version mismatch"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (known[i].rc == rc) return known[i].text;
  snprintf(text, sizeof text, "Error %d", rc);
  return text;
}
int nvmlSystemGetDriverVersion(char* out, u room) {
  ASK_LIBRARY();
  value_of("driver", "580.65.06", out, room);
  return OK;
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  ASK_LIBRARY();
  *out = (int)number("cuda", 13000);
  return OK;
}
int nvmlSystemGetProcessName(u pid, char* out, u room) {
  ASK_LIBRARY();
  snprintf(out, room, "/opt/fake/process-%u", pid);
  return OK;
}
int nvmlDeviceGetCount_v2(u* out) {
  ASK_LIBRARY();
  *out = (u)number("gpus", 1);
  return OK;
}
int nvmlDeviceGetHandleByIndex_v2(u index, dev* out) {
  ASK_LIBRARY();
  if (index >= number("gpus", 1)) return INVALID;
  *out = (dev)(uintptr_t)(index + 1);
  return gpu_number(index, "lost", 0) ? LOST : OK;
}
static int handle_by(const char* (*of)(u, char*, size_t), const char* wanted, dev* out) {
  char text[96];
  for (u i = 0; i < number("gpus", 1); ++i)
    if (!strcasecmp(of(i, text, sizeof text), wanted)) return nvmlDeviceGetHandleByIndex_v2(i, out);
  return NOT_FOUND;
}
enum { INSTANCE = 1000 }; /* added to the number of its GPU */
int nvmlDeviceGetHandleByUUID(const char* uuid, dev* out) {
  char text[1024];
  ASK_LIBRARY();
  if (!strncmp(uuid, "MIG-", 4)) {
    for (u i = 0; i < number("gpus", 1); ++i) {
      gpu_text(i, "instances", "", text, sizeof text);
      for (char *rest = text, *word; (word = strsep(&rest, " "));)
        if (!strcmp(word, uuid)) return *out = (dev)(uintptr_t)(i + 1 + INSTANCE), OK;
    }
    return NOT_FOUND;
  }
  return handle_by(uuid_of, uuid, out);
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(dev instance, dev* out) {
  ASK_LIBRARY();
  if ((uintptr_t)instance <= INSTANCE) return INVALID;
  return *out = (dev)((uintptr_t)instance - INSTANCE), OK;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* pci, dev* out) {
  ASK_LIBRARY();
  return handle_by(pci_of, pci, out);
}

/* --- what a GPU is ------------------------------------------------------------------------------------------------ */
int nvmlDeviceGetIndex(dev d, u* out) {
  ASK(d);
  *out = index_of(d);
  return OK;
}
int nvmlDeviceGetName(dev d, char* out, u room) {
  ASK(d);
  gpu_text(index_of(d), "name", "Fake GPU", out, room);
  return OK;
}
int nvmlDeviceGetUUID(dev d, char* out, u room) {
  ASK(d);
  uuid_of(index_of(d), out, room);
  return OK;
}
struct pci {
  char legacy[16];
  u domain, bus, device, id, subsystem;
  char bus_id[32];
};
int nvmlDeviceGetPciInfo_v3(dev d, struct pci* out) {
  ASK(d);
  memset(out, 0, sizeof *out);
  pci_of(index_of(d), out->bus_id, sizeof out->bus_id);
  return OK;
}

/* --- clocks ------------------------------------------------------------------------------------------------------- */
enum { GRAPHICS, SM, MEM, VIDEO };

static u clamp(u value, u low, u high) { return value < low ? low : value > high ? high : value; }

static u max_clock(u gpu, u type) {
  return (u)(type == MEM ? gpu_number(gpu, "max_mem", 2619) : type == VIDEO ? 1755 : gpu_number(gpu, "max_sm", 1980));
}
static u clock_now(u gpu, u type) {
  u low = 0, high = 0;
  if (type == VIDEO) return 1755;
  if (type == MEM) {
    const int held = locked(gpu, "SetMemoryLockedClocks", "ResetMemoryLockedClocks", &low, &high);
    return held ? clamp(max_clock(gpu, MEM), low, high) : max_clock(gpu, MEM);
  }
  const u free_clock = (u)gpu_number(gpu, "sm", max_clock(gpu, SM));
  u clock = free_clock;
  if (locked(gpu, "SetGpuLockedClocks", "ResetGpuLockedClocks", &low, &high)) clock = clamp(free_clock, low, high);
  const u most = (u)gpu_number(gpu, "power_clock", clock);
  return (u)gpu_number(gpu, "held_sm", clock < most ? clock : most);
}
int nvmlDeviceGetClockInfo(dev d, u type, u* out) {
  ASK(d);
  if (type > VIDEO) return INVALID;
  *out = clock_now(index_of(d), type);
  return OK;
}
int nvmlDeviceGetMaxClockInfo(dev d, u type, u* out) {
  ASK(d);
  if (type > VIDEO) return INVALID;
  *out = max_clock(index_of(d), type);
  return OK;
}
int nvmlDeviceGetSupportedMemoryClocks(dev d, u* count, u* out) {
  ASK(d);
  const u room = *count;
  *count = 2;
  if (room < 2) return TOO_SMALL;
  out[0] = max_clock(index_of(d), MEM);
  out[1] = (u)gpu_number(index_of(d), "low_mem", 1593);
  return OK;
}
int nvmlDeviceGetSupportedGraphicsClocks(dev d, u mem, u* count, u* out) {
  ASK(d);
  const u high = max_clock(index_of(d), SM), low = (u)gpu_number(index_of(d), "min_sm", 345), room = *count;
  if (mem != max_clock(index_of(d), MEM) && mem != gpu_number(index_of(d), "low_mem", 1593)) return NOT_FOUND;
  *count = (high - low) / 15 + 1;
  if (room < *count) return TOO_SMALL;
  for (u i = 0; i < *count; ++i) out[i] = high - 15 * i;
  return OK;
}
static int set_lock(dev d, const char* what, u low, u high) {
  char uuid[96];
  if (low > high) return INVALID;
  note("%s %s %u %u", what, uuid_of(index_of(d), uuid, sizeof uuid), low, high);
  return OK;
}
static int reset_lock(dev d, const char* what) {
  char uuid[96];
  note("%s %s", what, uuid_of(index_of(d), uuid, sizeof uuid));
  return OK;
}
int nvmlDeviceSetGpuLockedClocks(dev d, u low, u high) {
  ASK(d);
  return set_lock(d, "SetGpuLockedClocks", low, high);
}
int nvmlDeviceResetGpuLockedClocks(dev d) {
  ASK(d);
  return reset_lock(d, "ResetGpuLockedClocks");
}
int nvmlDeviceSetMemoryLockedClocks(dev d, u low, u high) {
  ASK(d);
  return set_lock(d, "SetMemoryLockedClocks", low, high);
}
int nvmlDeviceResetMemoryLockedClocks(dev d) {
  ASK(d);
  return reset_lock(d, "ResetMemoryLockedClocks");
}
/* Whether the clock would be higher with more power. */
static int power_capped(u gpu) {
  u low = 0, high = max_clock(gpu, SM);
  const u most = (u)gpu_number(gpu, "power_clock", high);
  locked(gpu, "SetGpuLockedClocks", "ResetGpuLockedClocks", &low, &high);
  return high > most;
}
static ull reasons(u gpu) {
  u low, high;
  const ull all = gpu_number(gpu, "reasons", 0) | (power_capped(gpu) ? 4 : 0);
  return locked(gpu, "SetGpuLockedClocks", "ResetGpuLockedClocks", &low, &high) ? all & ~1ULL : all;
}
int nvmlDeviceGetCurrentClocksEventReasons(dev d, ull* out) {
  ASK(d);
  *out = reasons(index_of(d));
  return OK;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(dev d, ull* out) {
  ASK(d);
  *out = reasons(index_of(d));
  return OK;
}
struct field {
  u id, scope;
  long long timestamp, latency;
  int type, rc;
  ull value;
};
/* What this field counts, "" for none. */
static const char* counted(u id) {
  static const char* const reasons[] = {"sw_thermal", "hw_thermal", "hw_power_brake"};
  const ull driver = number("driver", 580);
  const u first = driver >= 590 ? 269 : 251;
  if (id == 74) return "sw_power_cap";
  return driver >= 575 && id >= first && id < first + 3 ? reasons[id - first] : "";
}
int nvmlDeviceGetFieldValues(dev d, int count, struct field* fields) {
  ASK(d);
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  for (int i = 0; i < count; ++i) {
    char name[64], text[32];
    struct field* f = fields + i;
    f->timestamp = (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
    f->latency = 0;
    f->type = 3;
    f->rc = OK;
    if (f->id == 186) { /* in mW */
      f->type = 1;
      f->value = gpu_number(index_of(d), "power_now_mw", gpu_number(index_of(d), "power_mw", 350000));
      continue;
    }
    if (!*counted(f->id)) { /* a power smoothing setting */
      f->rc = f->id >= 251 && f->id <= 273 ? OK : UNSUPPORTED;
      f->value = 400000;
      continue;
    }
    snprintf(name, sizeof name, "throttled.%s", counted(f->id));
    double share = atof(gpu_text(index_of(d), name, "0", text, sizeof text));
    if (f->id == 74 && power_capped(index_of(d))) share = 1;
    f->value = (ull)(share * ((double)t.tv_sec * 1e9 + (double)t.tv_nsec));
  }
  return OK;
}

/* --- how it does -------------------------------------------------------------------------------------------------- */
struct temperature {
  u version, sensor;
  int celsius;
};
int nvmlDeviceGetTemperatureV(dev d, struct temperature* t) {
  ASK(d);
  if (t->version != (sizeof *t | 1U << 24)) return VERSION;
  t->celsius = (int)gpu_number(index_of(d), "temperature", 45);
  return OK;
}
int nvmlDeviceGetTemperature(dev d, u sensor, u* out) {
  ASK(d);
  if (sensor) return INVALID;
  *out = (u)gpu_number(index_of(d), "temperature", 45);
  return OK;
}
int nvmlDeviceGetPowerUsage(dev d, u* out) {
  ASK(d);
  *out = (u)gpu_number(index_of(d), "power_mw", 350000);
  return OK;
}
int nvmlDeviceGetEnforcedPowerLimit(dev d, u* out) {
  ASK(d);
  *out = (u)gpu_number(index_of(d), "limit_mw", 700000);
  return OK;
}
int nvmlDeviceGetTotalEnergyConsumption(dev d, ull* out) {
  ASK(d);
  *out = gpu_number(index_of(d), "energy_mj", 1000000);
  return OK;
}
struct utilization {
  u gpu, memory;
};
int nvmlDeviceGetUtilizationRates(dev d, struct utilization* out) {
  ASK(d);
  out->gpu = (u)gpu_number(index_of(d), "util", 97);
  out->memory = (u)gpu_number(index_of(d), "mem_util", 40);
  return OK;
}
struct memory {
  ull total, free, used;
};
struct memory_v2 {
  u version;
  ull total, reserved, free, used;
};
int nvmlDeviceGetMemoryInfo(dev d, struct memory* m) {
  ASK(d);
  m->total = gpu_number(index_of(d), "mem_total", 85899345920ULL);
  m->used = gpu_number(index_of(d), "mem_used", 1073741824) + gpu_number(index_of(d), "mem_reserved", 536870912);
  m->free = m->total - m->used;
  return OK;
}
int nvmlDeviceGetMemoryInfo_v2(dev d, struct memory_v2* m) {
  ASK(d);
  if (m->version != (sizeof *m | 2U << 24)) return VERSION;
  m->total = gpu_number(index_of(d), "mem_total", 85899345920ULL);
  m->used = gpu_number(index_of(d), "mem_used", 1073741824);
  m->reserved = gpu_number(index_of(d), "mem_reserved", 536870912);
  m->free = m->total - m->used - m->reserved;
  return OK;
}
struct process {
  u pid;
  ull bytes;
  u gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(dev d, u* count, struct process* out) {
  ASK(d);
  char text[1024];
  gpu_text(index_of(d), "procs", "", text, sizeof text);
  u there = 0;
  const u room = *count;
  for (char *rest = text, *word; (word = strsep(&rest, " "));) {
    char* bytes = strchr(word, ':');
    if (!bytes) continue;
    if (there < room) {
      out[there].pid = !strncmp(word, "self", 4) ? (u)getpid() : (u)strtoul(word, NULL, 10);
      out[there].bytes = strtoull(bytes + 1, NULL, 0);
      out[there].gpu_instance = out[there].compute_instance = 0xffffffffU;
    }
    ++there;
  }
  *count = there;
  return there > room ? TOO_SMALL : OK;
}

/* --- faults --------------------------------------------------------------------------------------------------------
 */
int nvmlDeviceGetTotalEccErrors(dev d, u type, u counter, ull* out) {
  ASK(d);
  *out = type == 1 && counter == 0 ? gpu_number(index_of(d), "ecc_errors", 0) : 0;
  return OK;
}
int nvmlDeviceGetRemappedRows(dev d, u* corrected, u* uncorrected, u* pending, u* failed) {
  ASK(d);
  *corrected = *pending = *failed = 0;
  *uncorrected = (u)gpu_number(index_of(d), "remapped", 0);
  return OK;
}
int nvmlDeviceGetCurrPcieLinkWidth(dev d, u* out) {
  ASK(d);
  *out = (u)gpu_number(index_of(d), "pcie_width", 16);
  return OK;
}
enum { MOST = 16, XID = 8, TIMEOUT = 10 };
struct events {
  int registered[MOST];
  ull seen[MOST];
};
struct event {
  dev device;
  ull type, data;
  u gpu_instance, compute_instance;
};
int nvmlEventSetCreate(struct events** out) {
  ASK_LIBRARY();
  *out = calloc(1, sizeof **out);
  return OK;
}
int nvmlDeviceRegisterEvents(dev d, ull types, struct events* set) {
  ASK(d);
  if (types != XID || index_of(d) >= MOST) return INVALID;
  set->registered[index_of(d)] = 1;
  set->seen[index_of(d)] = gpu_number(index_of(d), "xid", 0);
  return OK;
}
int nvmlEventSetWait_v2(struct events* set, struct event* out, u timeout_ms) {
  (void)timeout_ms;
  for (u i = 0; i < MOST; ++i) {
    const ull now = set->registered[i] ? gpu_number(i, "xid", 0) : 0;
    if (!set->registered[i] || now == set->seen[i]) continue;
    set->seen[i] = now;
    *out = (struct event){(dev)(uintptr_t)(i + 1), XID, now, 0xffffffffU, 0xffffffffU};
    return OK;
  }
  return TIMEOUT;
}
int nvmlEventSetFree(struct events* set) {
  free(set);
  return OK;
}

/* --- modes -------------------------------------------------------------------------------------------------------- */
int nvmlDeviceGetPersistenceMode(dev d, u* out) {
  ASK(d);
  *out = (u)gpu_number(index_of(d), "persistence", 1);
  return OK;
}
int nvmlDeviceGetEccMode(dev d, u* now, u* pending) {
  ASK(d);
  *now = *pending = (u)gpu_number(index_of(d), "ecc", 1);
  return OK;
}
int nvmlDeviceGetMigMode(dev d, u* now, u* pending) {
  ASK(d);
  *now = *pending = (u)gpu_number(index_of(d), "mig", 0);
  return OK;
}
int nvmlDeviceGetPerformanceState(dev d, u* out) {
  ASK(d);
  *out = (u)gpu_number(index_of(d), "pstate", 0);
  return OK;
}
int nvmlDeviceGetAutoBoostedClocksEnabled(dev d, u* now, u* usual) {
  ASK(d);
  *now = *usual = (u)gpu_number(index_of(d), "auto_boost", 1);
  return OK;
}
