/* How a GPU does, what uses it, what breaks, and its modes. */
#include <unistd.h>

#include "state.h"

/* Of modes, the one of now and the one after the next start are the same. */
#define TWO_NUMBERS(FUNCTION, KEY, OTHERWISE)                  \
  int FUNCTION(dev d, u* now, u* next) {                       \
    ASK(d);                                                    \
    *now = *next = (u)gpu_number(index_of(d), KEY, OTHERWISE); \
    return OK;                                                 \
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
NUMBER(nvmlDeviceGetPowerUsage, "power_mw", 350000)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "limit_mw", 700000)
struct utilization {
  u gpu, memory;
};
int nvmlDeviceGetUtilizationRates(dev d, struct utilization* out) {
  ASK(d);
  out->gpu = (u)gpu_number(index_of(d), "util", 97);
  out->memory = 40;
  return OK;
}
struct memory {
  ull total, free, used;
};
struct memory_v2 {
  u version;
  ull total, reserved, free, used;
};
static const ull total = 85899345920ULL, reserved = 536870912;
int nvmlDeviceGetMemoryInfo(dev d, struct memory* m) {
  ASK(d);
  m->total = total;
  m->used = gpu_number(index_of(d), "mem_used", 1073741824) + reserved;
  m->free = total - m->used;
  return OK;
}
int nvmlDeviceGetMemoryInfo_v2(dev d, struct memory_v2* m) {
  ASK(d);
  if (m->version != (sizeof *m | 2U << 24)) return VERSION;
  m->total = total;
  m->used = gpu_number(index_of(d), "mem_used", 1073741824);
  m->reserved = reserved;
  m->free = total - m->used - reserved;
  return OK;
}
struct process {
  u pid;
  ull bytes;
  u gpu_instance, compute_instance;
};
static int list_processes(dev d, const char* name, u* count, struct process* out) {
  char text[1024];
  gpu_text(index_of(d), name, "", text, sizeof text);
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
int nvmlDeviceGetComputeRunningProcesses_v3(dev d, u* count, struct process* out) {
  ASK(d);
  return list_processes(d, "procs", count, out);
}
int nvmlDeviceGetMPSComputeRunningProcesses_v3(dev d, u* count, struct process* out) {
  ASK(d);
  return list_processes(d, "mps", count, out);
}

/* --- faults ------------------------------------------------------------------------------------------------------- */
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
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width", 16)
/* A link saves power while the GPU idles. */
ANSWERS(nvmlDeviceGetCurrPcieLinkGeneration, u,
        gpu_number(index_of(d), "util", 97) == 0 ? 1 : gpu_number(index_of(d), "pcie_generation", 5))
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
static ull next_xid(u gpu) { return gpu_number(gpu, "next_xid", 0); }
static ull last_xid(u gpu) {
  const ull lost = gpu_number(gpu, "lost", 0) ? 79 : 0;
  return next_xid(gpu) ? next_xid(gpu) : gpu_number(gpu, "xid", lost);
}
int nvmlEventSetCreate(struct events** out) {
  ASK_LIBRARY();
  *out = calloc(1, sizeof **out);
  return OK;
}
int nvmlDeviceRegisterEvents(dev d, ull types, struct events* set) {
  ASK(d);
  if (types != XID || index_of(d) >= MOST) return INVALID;
  set->registered[index_of(d)] = 1;
  set->seen[index_of(d)] = next_xid(index_of(d)) ? 0 : last_xid(index_of(d));
  return OK;
}
int nvmlEventSetWait_v2(struct events* set, struct event* out, u timeout_ms) {
  for (u i = 0; i < MOST; ++i) {
    const ull now = set->registered[i] ? last_xid(i) : 0;
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
NUMBER(nvmlDeviceGetPersistenceMode, "persistence", 1)
TWO_NUMBERS(nvmlDeviceGetEccMode, "ecc", 1)
TWO_NUMBERS(nvmlDeviceGetMigMode, "mig", 0)
