#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "machine.h"

using namespace fake_cuda;

namespace {

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
};

int describe(int code, const char* Words::*what, const char** out) {
  const auto* found =
      std::find_if(std::begin(kWords), std::end(kWords), [=](const Words& w) { return w.code == code; });
  *out = found != std::end(kWords) ? found->*what : nullptr;
  return *out != nullptr ? kOk : kInvalidValue;
}

// As the driver does: a tool's library, for as long as the process lives.
void load_injection() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW);
  void* initialize = library == nullptr ? nullptr : dlsym(library, "InitializeInjection");
  if (initialize != nullptr) reinterpret_cast<int (*)()>(initialize)();
}

}  // namespace

extern "C" {

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

// The number of this GPU in the order of the bus.
static int by_bus(int device) {
  const Script& script = machine().script;
  return script.reversed ? script.devices - 1 - device : device;
}

int cuDriverGetVersion(int* version) {
  *version = machine().script.driver;
  return kOk;
}

int cuGetErrorName(int code, const char** name) { return describe(code, &Words::name, name); }
int cuGetErrorString(int code, const char** text) { return describe(code, &Words::words, text); }

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
  const std::string& given = machine().script.uuid;
  for (int i = 0; i < 16; ++i)
    uuid[i] =
        static_cast<char>(given.empty() ? i * 16 + by_bus(device) : std::stoi(given.substr(2 * i, 2), nullptr, 16));
  return kOk;
}

int cuDeviceGetPCIBusId(char* id, int size, int device) {
  ENTER();
  std::snprintf(id, static_cast<std::size_t>(size), "0000:%02X:00.0", by_bus(device) + 1);
  return kOk;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  ENTER();
  const Script& s = machine().script;
  const std::map<int, int> known = {{13, static_cast<int>(s.clock_mhz * 1000)},
                                    {16, s.sms},
                                    {38, static_cast<int>(s.l2)},
                                    {75, s.major},
                                    {76, s.minor}};
  const auto found = known.find(attribute);
  if (found == known.end()) return kInvalidValue;
  *value = found->second;
  return kOk;
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
  machine().wait_all();
  return kOk;
}

}  // extern "C"
