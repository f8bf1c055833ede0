#include "engine/cuda/context.h"

#include <map>
#include <utility>

namespace reg::cuda {

// The driver's queue holds about a thousand pieces of work; beyond that a launch waits. What counts as one here, such
// as a gemm, may be some.
constexpr int kMostHeld = 256;

Context::Context(const Driver& driver, DeviceInfo device) : driver_(&driver), device_(std::move(device)) {
  driver.check(driver.cuDevicePrimaryCtxRetain(&handle_, device_.index), "open GPU ", device_.index);
  try {
    enter();
    driver.check(driver.cuStreamCreate(&stream_, abi::kStreamNonBlocking), "make a stream");
  } catch (const Error&) {
    driver.cuDevicePrimaryCtxRelease_v2(device_.index);
    throw;
  }
}

std::shared_ptr<Context> Context::open(int index) {
  const auto all = devices();
  if (index < 0 || static_cast<std::size_t>(index) >= all.size())
    throw Error(ErrorKind::not_found, fmt::format("no GPU {}: there are {}, counted from 0", index, all.size()),
                "reg.cuda.devices() lists them");
  static std::map<int, std::weak_ptr<Context>> opened;
  std::shared_ptr<Context> context = opened[index].lock();
  if (!context) {
    context.reset(new Context(cuda::driver(), all[static_cast<std::size_t>(index)]));
    opened[index] = context;
  }
  return context;
}

std::shared_ptr<Context> Context::dry(int index) {
  DeviceInfo device;
  device.index = index;
  device.name = "dry run";
  device.arch = "sm_90";
  device.clock_mhz = 1;
  return std::shared_ptr<Context>(new Context(dry_driver(), device));
}

Context::~Context() {
  enter_to_free();
  driver_->cuStreamDestroy_v2(stream_);
  driver_->cuDevicePrimaryCtxRelease_v2(device_.index);
}

const Driver& Context::enter() const {
  driver_->check(driver_->cuCtxSetCurrent(handle_), "use GPU ", device_.index);
  return *driver_;
}

void Context::synchronize() { enter().check(driver_->cuCtxSynchronize(), "wait for GPU ", device_.index); }

void Context::hold(std::function<void()> release) {
  held_ = true;
  release_ = std::move(release);
  queued_ = 0;
}

void Context::unhold() {
  held_ = false;
  release_ = nullptr;
  for (const auto& free : std::exchange(to_free_, {})) free();
}

void Context::refuse_waiting(const char* what) const {
  if (held_)
    throw Error(ErrorKind::usage,
                std::string(what) + " waits for the GPU, which is held until the timed function returns",
                "take it out of the function, or give reg.cuda.time block = false");
}

void Context::queued() {
  if (release_ && ++queued_ == kMostHeld) std::exchange(release_, nullptr)();
}

std::shared_ptr<void> Context::freed_by(std::shared_ptr<Context> context, std::function<void(const Driver&)> free) {
  return {nullptr, [context = std::move(context), free = std::move(free)](void*) {
            const auto work = [context, free] {
              context->enter_to_free();
              free(*context->driver_);
            };
            if (context->held_) return context->to_free_.push_back(work);
            work();
          }};
}

}  // namespace reg::cuda
