// tests/support/fakes/amdsmi.c: a libamd_smi without a GPU. It follows amd_smi/amdsmi.h of ROCm 7.13 (library 26.5.0)
// for names, numbers and the layout of the structs below, whose beginnings are the same in 26.0 (ROCm 7.0) and, by its
// changelog, in 27 (ROCm 10); and the library's source for what it answers: members that a GPU does not report are the
// highest number, amdsmi_get_violation_status measures for 100 ms and is not supported before MI300, the processors of
// a socket are counted with a null list first, and libraries before 25.4 begin their version with a year.
//
// $REGENGINE_FAKE_AMDSMI names a file of lines NAME=VALUE:
//   version=26.5.0  init=34 (the status of amdsmi_init)  driver=6.14.14  gpus=2
//   gpu0.name= .id= (the unique id, in hex) .node= (of the KFD) .clock= .power= .limit= .hotspot= .edge=
//   .busy= (the activity)  .thermal=1 .ppt=1 (in violation now)  .violations=0 (not supported, as before MI300)
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kSuccess = 0, kInvalid = 1, kNotSupported = 2, kNotFound = 31, kMost = 8 };
typedef void* Handle;

static int gpus_[kMost];

static const char* value(const char* name, const char* otherwise) {
  static __thread char found[256];
  const char* path = getenv("REGENGINE_FAKE_AMDSMI");
  FILE* file = path == NULL ? NULL : fopen(path, "r");
  char line[256];
  const char* result = otherwise;
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    const size_t length = strlen(name);
    if (strncmp(line, name, length) != 0 || line[length] != '=') continue;
    line[strcspn(line, "\n")] = 0;
    result = strcpy(found, line + length + 1);
  }
  if (file != NULL) fclose(file);
  return result;
}

static const char* of(Handle gpu, const char* name, const char* otherwise) {
  char full[64];
  snprintf(full, sizeof full, "gpu%d.%s", (int)((int*)gpu - gpus_), name);
  return value(full, otherwise);
}

static uint64_t number(Handle gpu, const char* name, const char* otherwise) {
  return strtoull(of(gpu, name, otherwise), NULL, 0);
}

static uint32_t count(void) { return (uint32_t)strtoul(value("gpus", "1"), NULL, 10); }

static void put(char* to, const char* text) { snprintf(to, 256, "%s", text); }

struct Version {
  uint32_t major, minor, release;
  const char* build;
};

int amdsmi_get_lib_version(struct Version* version) {
  version->build = "fake";
  sscanf(value("version", "26.5.0"), "%u.%u.%u", &version->major, &version->minor, &version->release);
  return kSuccess;
}

int amdsmi_init(uint64_t flags) {
  if (flags != 2) return kInvalid;  // GPUs alone
  return (int)strtol(value("init", "0"), NULL, 10);
}

int amdsmi_shut_down(void) { return kSuccess; }

int amdsmi_get_socket_handles(uint32_t* sockets, Handle* list) {
  if (list == NULL || *sockets > count()) *sockets = count();
  for (uint32_t i = 0; list != NULL && i < *sockets; ++i) list[i] = gpus_ + i;
  return kSuccess;
}

int amdsmi_get_processor_handles(Handle socket, uint32_t* processors, Handle* list) {
  *processors = 1;
  if (list != NULL) *list = socket;
  return kSuccess;
}

struct Enumeration {
  uint32_t drm_render, drm_card, hsa_id, hip_id;
  char hip_uuid[256];
};

int amdsmi_get_gpu_enumeration_info(Handle gpu, struct Enumeration* info) {
  memset(info, 0xff, 16);
  char node[16], id[32];
  snprintf(node, sizeof node, "%d", (int)((int*)gpu - gpus_) + 1);
  snprintf(id, sizeof id, "0x%x", 0xabc0 + (int)((int*)gpu - gpus_));
  info->hsa_id = (uint32_t)number(gpu, "node", node);
  info->hip_id = info->hsa_id - 1;
  char uuid[32];
  snprintf(uuid, sizeof uuid, "GPU-%016" PRIx64, number(gpu, "id", id));
  put(info->hip_uuid, uuid);
  return kSuccess;
}

struct Asic {
  char market_name[256];
  uint32_t rest[160];
};

int amdsmi_get_gpu_asic_info(Handle gpu, struct Asic* info) {
  memset(info, 0xff, sizeof *info);
  put(info->market_name, of(gpu, "name", "AMD Instinct MI300X"));
  return kSuccess;
}

struct Driver {
  char version[256], date[256], name[256];
};

int amdsmi_get_gpu_driver_info(Handle gpu, struct Driver* info) {
  put(info->version, value("driver", "6.14.14"));
  put(info->date, "");
  put(info->name, "amdgpu");
  return kSuccess;
}

int amdsmi_get_gpu_bdf_id(Handle gpu, uint64_t* id) {
  *id = (uint64_t)((int*)gpu - gpus_ + 1) << 8;
  return kSuccess;
}

struct Clock {
  uint32_t clk, min_clk, max_clk;
  uint8_t locked, deep_sleep;
  uint32_t reserved[4];
};

int amdsmi_get_clock_info(Handle gpu, int type, struct Clock* info) {
  memset(info, 0xff, sizeof *info);
  if (type != 0 && type != 4) return kNotSupported;  // GFX and MEM
  info->clk = (uint32_t)(type == 0 ? number(gpu, "clock", "2100") : 1300);
  info->max_clk = type == 0 ? 2100 : 1300;
  return kSuccess;
}

// Degrees; the edge of an MI300 is not reported.
int amdsmi_get_temp_metric(Handle gpu, int sensor, int metric, int64_t* celsius) {
  const char* text = metric != 0 ? "" : sensor == 0 ? of(gpu, "edge", "") : sensor == 1 ? of(gpu, "hotspot", "47") : "";
  *celsius = strtol(text, NULL, 10);
  return *text == 0 ? kNotSupported : kSuccess;
}

struct Power {
  uint64_t socket;
  uint32_t current, average;
  uint64_t gfx_mv, soc_mv, mem_mv;
  uint32_t limit, board;
  uint64_t reserved[18];
};

// Before MI300 only the average is reported.
int amdsmi_get_power_info(Handle gpu, struct Power* info) {
  memset(info, 0xff, sizeof *info);
  const uint32_t watts = (uint32_t)number(gpu, "power", "140");
  *(number(gpu, "violations", "1") == 1 ? &info->current : &info->average) = watts;
  return kSuccess;
}

struct Cap {
  uint64_t cap, standard, dpm, least, most, reserved[3];
};

int amdsmi_get_power_cap_info(Handle gpu, uint32_t sensor, struct Cap* info) {
  if (sensor != 0) return kNotSupported;
  memset(info, 0xff, sizeof *info);
  info->cap = number(gpu, "limit", "750") * 1000000;
  return kSuccess;
}

struct Activity {
  uint32_t gfx, umc, mm, reserved[13];
};

int amdsmi_get_gpu_activity(Handle gpu, struct Activity* info) {
  memset(info, 0xff, sizeof *info);
  info->gfx = (uint32_t)number(gpu, "busy", "97");
  return kSuccess;
}

struct Violations {
  uint64_t reference, violation;
  uint64_t all, prochot, ppt, socket, vr, hbm, below_limit;
  uint64_t percent[6];
  uint8_t active[6];
  uint64_t by_partition[736];
};

int amdsmi_get_violation_status(Handle gpu, struct Violations* info) {
  memset(info, 0xff, sizeof *info);
  if (number(gpu, "violations", "1") == 0) return kNotSupported;
  usleep(100000);
  memset(info->active, 0, 5);
  info->active[1] = strtod(of(gpu, "ppt", "0"), NULL) > 0;
  info->active[2] = strtod(of(gpu, "thermal", "0"), NULL) > 0;
  return kSuccess;
}
