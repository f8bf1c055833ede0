#include "engine/gpu/nvml.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "engine/base/error.h"

namespace reg::gpu {
namespace {

using namespace nvml;

constexpr const char* kRemedy =
    "Install the NVIDIA driver; start a container with the NVIDIA container toolkit (--gpus).";

const char* remedy_of(Result result) {
  switch (result) {
    case kDriverNotLoaded:
      return "Load it: modprobe nvidia";
    case kVersionMismatch:
      return "The driver was updated while the old one is loaded. Reboot, or reload the kernel modules.";
    case kNoPermission:
    case kOperatingSystem:
      return "This process has no access to /dev/nvidia*. Check their permissions and the container's devices.";
    case kGpuIsLost:
      return "See dmesg | grep -i xid, then reset the GPU or reboot.";
    default:
      return "Run nvidia-smi for more.";
  }
}

std::unique_ptr<const Nvml::Functions> load() {
  const Library library({"libnvidia-ml.so.1"}, "REGENGINE_NVML", kRemedy);
  auto f = std::make_unique<Nvml::Functions>();
#define REGENGINE_GET(name, symbol, ...) f->name = library.get<Result(__VA_ARGS__)>(#symbol);
  REGENGINE_NVML(REGENGINE_GET)
#undef REGENGINE_GET
#define REGENGINE_FIND(name, symbol, ...) f->name = library.find<Result(__VA_ARGS__)>(#symbol);
  REGENGINE_NVML_OPTIONAL(REGENGINE_FIND)
#undef REGENGINE_FIND
  f->error_string = library.get<const char*(Result)>("nvmlErrorString");
  for (const char* symbol : {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"})
    if (f->event_reasons == nullptr) f->event_reasons = library.find<Result(Handle, unsigned long long*)>(symbol);
  return f;
}

}  // namespace

Nvml::Nvml() : functions_(has_amd_gpus() ? of_amd() : load()) {
  if (const Result result = functions_->init(); result != kSuccess) fail(result, "the NVIDIA driver does not respond");
}

std::shared_ptr<Nvml> Nvml::open() { return std::shared_ptr<Nvml>(new Nvml); }

Nvml::~Nvml() { functions_->shutdown(); }

std::optional<std::string> Nvml::driver() const {
  std::array<char, 96> text{};
  if (functions_->driver_version(text.data(), text.size()) != kSuccess) return std::nullopt;
  return text.data();
}

unsigned Nvml::driver_branch() const {
  return static_cast<unsigned>(std::strtoul(driver().value_or("").c_str(), nullptr, 10));
}

std::optional<std::string> Nvml::cuda() const {
  int version = 0;
  if (functions_->cuda_version(&version) != kSuccess) return std::nullopt;
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

unsigned Nvml::count() const {
  unsigned count = 0;
  const Result result = functions_->count(&count);
  if (result != kSuccess && result != kGpuNotFound) fail(result, "cannot count the GPUs");
  return count;
}

Handle Nvml::by_index(unsigned index) const {
  const unsigned there = count();
  if (index >= there)
    throw Error(ErrorKind::not_found, fmt::format("no such GPU: {}", index),
                there == 0 ? "This machine has none." : fmt::format("Choose from 0 to {}.", there - 1));
  Handle handle = nullptr;
  if (const Result result = functions_->by_index(index, &handle); result != kSuccess)
    fail(result, fmt::format("GPU {}", index));
  return handle;
}

Handle Nvml::by_uuid(const std::string& uuid) const {
  Handle handle = nullptr;
  const Result result = functions_->by_uuid(uuid.c_str(), &handle);
  // NVML answers kInvalidArgument to a malformed name.
  if (result == kNotFound || result == kInvalidArgument)
    throw Error(ErrorKind::not_found, "no such GPU: " + uuid, "List them with nvidia-smi -L.");
  if (result != kSuccess) fail(result, uuid);
  if (!uuid.starts_with("MIG-") || functions_->gpu_of_instance == nullptr) return handle;
  Handle gpu = nullptr;
  if (const Result of = functions_->gpu_of_instance(handle, &gpu); of != kSuccess) fail(of, uuid);
  return gpu;
}

std::string Nvml::words(Result result) const {
  return fmt::format("{} ({})", functions_->error_string(result), result);
}

void Nvml::fail(Result result, const std::string& what) const {
  throw Error(ErrorKind::unavailable, what + ": " + words(result), remedy_of(result));
}

}  // namespace reg::gpu
