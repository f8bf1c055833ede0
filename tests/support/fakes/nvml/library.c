/* The library, and what a GPU is. */
#include "state.h"

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
  *out = 13000;
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
/* The number of an instance in its GPU, from 1 on, 0 for a GPU, times this is added to the number of the GPU. */
enum { INSTANCE = 1000 };
static u instance_of(dev d) { return (u)((uintptr_t)d / INSTANCE); }
static u gpu_of(dev d) { return (u)((uintptr_t)d % INSTANCE) - 1; }

/* The name of this instance of a GPU; "" if there is none. */
static const char* instance_name(u gpu, u wanted, char* out, size_t room) {
  char text[1024];
  u number = 0;
  gpu_text(gpu, "instances", "", text, sizeof text);
  out[0] = '\0';
  for (char *rest = text, *word; (word = strsep(&rest, " "));)
    if (*word && ++number == wanted) snprintf(out, room, "%s", word);
  return out;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, dev* out) {
  char text[128];
  ASK_LIBRARY();
  if (!strncmp(uuid, "MIG-", 4)) {
    for (u i = 0; i < number("gpus", 1); ++i)
      for (u k = 1; *instance_name(i, k, text, sizeof text); ++k)
        if (!strcmp(text, uuid)) return *out = (dev)(uintptr_t)(i + 1 + k * INSTANCE), OK;
    return NOT_FOUND;
  }
  return handle_by(uuid_of, uuid, out);
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(dev instance, dev* out) {
  ASK_LIBRARY();
  if (!instance_of(instance)) return INVALID;
  return *out = (dev)(uintptr_t)(gpu_of(instance) + 1), OK;
}
ANSWERS(nvmlDeviceGetMaxMigDeviceCount, u, 7) /* whether or not they are there */
int nvmlDeviceGetMigDeviceHandleByIndex(dev d, u index, dev* out) {
  char text[128];
  ASK(d);
  if (!*instance_name(index_of(d), index + 1, text, sizeof text)) return NOT_FOUND;
  return *out = (dev)((uintptr_t)d + (uintptr_t)(index + 1) * INSTANCE), OK;
}
/* --- what a GPU is ------------------------------------------------------------------------------------------------ */
ANSWERS(nvmlDeviceGetIndex, u, index_of(d))
int nvmlDeviceGetName(dev d, char* out, u room) {
  char name[80];
  if (instance_of(d)) {
    snprintf(out, room, "%s MIG 1g.10gb", gpu_text(gpu_of(d), "name", "Fake GPU", name, sizeof name));
    return OK;
  }
  ASK(d);
  gpu_text(index_of(d), "name", "Fake GPU", out, room);
  return OK;
}
int nvmlDeviceGetUUID(dev d, char* out, u room) {
  if (instance_of(d)) return instance_name(gpu_of(d), instance_of(d), out, room), OK;
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
