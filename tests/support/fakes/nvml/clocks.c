/* Clocks, their locks, and why they are lower. */
#include "state.h"

/* --- clocks ------------------------------------------------------------------------------------------------------- */
static u clamp(u value, u low, u high) { return value < low ? low : value > high ? high : value; }

enum { MIN_SM = 345, LOW_MEM = 1593 };
u max_clock(u gpu, u type) { return type == MEM ? (u)gpu_number(gpu, "max_mem", 2619) : type == VIDEO ? 1755 : 1980; }
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
#define CLOCK(FUNCTION, CLOCK_OF)       \
  int FUNCTION(dev d, u type, u* out) { \
    ASK(d);                             \
    if (type > VIDEO) return INVALID;   \
    *out = CLOCK_OF(index_of(d), type); \
    return OK;                          \
  }
CLOCK(nvmlDeviceGetClockInfo, clock_now)
CLOCK(nvmlDeviceGetMaxClockInfo, max_clock)
int nvmlDeviceGetSupportedMemoryClocks(dev d, u* count, u* out) {
  ASK(d);
  const u room = *count;
  *count = 2;
  if (room < 2) return TOO_SMALL;
  out[0] = max_clock(index_of(d), MEM);
  out[1] = LOW_MEM;
  return OK;
}
int nvmlDeviceGetSupportedGraphicsClocks(dev d, u mem, u* count, u* out) {
  ASK(d);
  const u high = max_clock(index_of(d), SM), room = *count;
  if (mem != max_clock(index_of(d), MEM) && mem != LOW_MEM) return NOT_FOUND;
  *count = (high - MIN_SM) / 15 + 1;
  if (room < *count) return TOO_SMALL;
  for (u i = 0; i < *count; ++i) out[i] = high - 15 * i;
  return OK;
}
#define LOCK(WHAT)                                                                     \
  int nvmlDeviceSet##WHAT(dev d, u low, u high) {                                      \
    char uuid[96];                                                                     \
    ASK(d);                                                                            \
    if (low > high) return INVALID;                                                    \
    note("Set" #WHAT " %s %u %u", uuid_of(index_of(d), uuid, sizeof uuid), low, high); \
    return OK;                                                                         \
  }                                                                                    \
  int nvmlDeviceReset##WHAT(dev d) {                                                   \
    char uuid[96];                                                                     \
    ASK(d);                                                                            \
    note("Reset" #WHAT " %s", uuid_of(index_of(d), uuid, sizeof uuid));                \
    return OK;                                                                         \
  }
LOCK(GpuLockedClocks)
LOCK(MemoryLockedClocks)
int power_capped(u gpu) {
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
ANSWERS(nvmlDeviceGetCurrentClocksEventReasons, ull, reasons(index_of(d)))
ANSWERS(nvmlDeviceGetCurrentClocksThrottleReasons, ull, reasons(index_of(d)))
struct field {
  u id, scope;
  long long timestamp, latency;
  int type, rc;
  ull value;
};
static double share_of(u gpu, const char* reason) {
  char name[64], text[32];
  snprintf(name, sizeof name, "throttled.%s", reason);
  return atof(gpu_text(gpu, name, "0", text, sizeof text));
}
/* What this field counts, "" for none. */
static const char* counted(u id) {
  static const char* const reasons[] = {"sw_thermal", "hw_thermal", "hw_power_brake"};
  char text[64];
  const ull driver = number("driver", 580);
  const int renumbered = driver >= 590 || strncmp(value_of("driver", "", text, sizeof text), "580.159", 7) == 0;
  const u first = renumbered ? 269 : 251;
  if (id == 74) return "sw_power_cap";
  if (id == 75) return "thermal"; /* of either kind */
  return driver >= 575 && id >= first && id < first + 3 ? reasons[id - first] : "";
}
/* Links of NVLink and what the driver asks for: 1 if this is such a field. Up to Hopper each link counts replays and
 * recoveries, from Blackwell on recoveries in another field. */
static int faults(u gpu, struct field* f) {
  const int blackwell = (int)gpu_number(gpu, "blackwell", 0);
  const ull links = gpu_number(gpu, "nvlinks", 0);
  f->type = 3;
  f->rc = OK;
  if (f->id == 91 || f->id == 230) {
    f->type = 1;
    f->value = f->id == 91 ? links : gpu_number(gpu, "recovery", 0);
    if (f->id == 230 && number("driver", 580) < 570) f->rc = UNSUPPORTED;
    return 1;
  }
  if (f->id != 161 && f->id != 162 && f->id != 215) return 0;
  if (f->scope >= links || (f->id == 215) != blackwell) f->rc = UNSUPPORTED;
  f->value = f->scope == 1 && f->id != 161 ? gpu_number(gpu, "nvlink_errors", 0) : 0;
  return 1;
}
int nvmlDeviceGetFieldValues(dev d, int count, struct field* fields) {
  ASK(d);
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  for (int i = 0; i < count; ++i) {
    struct field* f = fields + i;
    f->timestamp = (long long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
    f->latency = 0;
    if (faults(index_of(d), f)) continue;
    f->type = 3;
    f->rc = OK;
    if (f->id == 186) { /* in mW */
      f->type = 1;
      f->value = gpu_number(index_of(d), "power_now_mw", gpu_number(index_of(d), "power_mw", 350000));
      continue;
    }
    if (!*counted(f->id)) { /* a power smoothing setting */
      f->type = f->id < 272 ? 1 : 3;
      f->rc = f->id >= 251 && f->id <= 273 ? OK : UNSUPPORTED;
      f->value = 400000;
      continue;
    }
    double share = share_of(index_of(d), counted(f->id));
    if (f->id == 75) share += share_of(index_of(d), "hw_thermal");
    if (f->id == 74 && power_capped(index_of(d))) share = 1;
    f->value = (ull)(share * ((double)t.tv_sec * 1e9 + (double)t.tv_nsec));
  }
  return OK;
}
