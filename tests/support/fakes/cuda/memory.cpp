#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "machine.h"

using namespace fake_cuda;

extern "C" {

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

}  // extern "C"
