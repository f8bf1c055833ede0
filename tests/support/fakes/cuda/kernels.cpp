#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "machine.h"

using namespace fake_cuda;

namespace {

struct Module {
  std::string image;
};

struct Function {
  std::string name;
  KernelTimes times;
};

template <class T>
T parameter(void** parameters, int i) {
  T value;
  std::memcpy(&value, parameters[i], sizeof value);
  return value;
}

constexpr char kElf[] = {'\x7f', 'E', 'L', 'F'};

std::size_t image_size(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  if (std::memcmp(bytes, kElf, sizeof kElf) != 0) return std::strlen(bytes);
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

}  // namespace

extern "C" {

int cuModuleLoadData(void** module, const void* image) {
  ENTER();
  std::string bytes(static_cast<const char*>(image), image_size(image));
  if (!bytes.starts_with(std::string_view(kElf, sizeof kElf)) && bytes.find(".entry") == std::string::npos)
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
    enqueue(stream, Op{nullptr, wait, 0});
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

}  // extern "C"
