#include "engine/cuda/objects.h"

#include <algorithm>
#include <utility>

namespace reg::cuda {

constexpr unsigned kSharedWithoutAsking = 48 * 1024;

Owned::Owned(std::shared_ptr<Context> context, Destroy destroy) : context_(std::move(context)) {
  free_ = Context::freed_by(context_, [destroy, handle = handle_](const Driver& d) {
    if (*handle != nullptr) (d.*destroy)(*handle);
  });
}

// --- events --------------------------------------------------------------------------------------------------------
Event::Event(std::shared_ptr<Context> context, unsigned flags) : Owned(std::move(context), &Driver::cuEventDestroy_v2) {
  const Driver& d = this->context().enter();
  d.check(d.cuEventCreate(out(), flags), "make an event");
}

void Event::record() {
  const Driver& d = context().enter();
  d.check(d.cuEventRecord(get(), context().stream()), "record an event");
  context().queued();
}

void Event::synchronize() {
  const Driver& d = context().enter();
  d.check(d.cuEventSynchronize(get()), "wait for an event");
}

double Event::seconds_since(const Event& start) const {
  const Driver& d = context().enter();
  float ms = 0;
  const int code = d.cuEventElapsedTime(&ms, start.get(), get());
  if (code == abi::kNotReady)
    throw Error(ErrorKind::usage, "the events were not reached yet", "wait for the later one: event:synchronize()");
  d.check(code, "take the time between two events");
  return static_cast<double>(ms) / 1000;
}

// --- memory ----------------------------------------------------------------------------------------------------------
Buffer::Buffer(std::shared_ptr<Context> context, std::size_t n, Dtype dtype)
    : context_(std::move(context)), dtype_(dtype), bytes_(n * size_of(dtype)) {
  const Driver& driver = context_->enter();
  driver.check(driver.cuMemAlloc_v2(&address_, bytes_), "allocate ", bytes_, " bytes on GPU ",
               context_->device().index);
  free_ = Context::freed_by(context_, [address = address_](const Driver& d) { d.cuMemFree_v2(address); });
}

void Buffer::zero() {
  const Driver& d = context_->enter();
  d.check(d.cuMemsetD8Async(address_, 0, bytes_, context_->stream()), "zero ", bytes_, " bytes");
  context_->queued();
}

void Buffer::upload(const std::string& data) {
  const Driver& d = context_->enter();
  d.check(d.cuMemcpyHtoDAsync_v2(address_, data.data(), data.size(), context_->stream()), "copy ", data.size(),
          " bytes to the GPU");
  d.check(d.cuStreamSynchronize(context_->stream()), "copy ", data.size(), " bytes to the GPU");
}

std::string Buffer::download() const {
  const Driver& d = context_->enter();
  std::string data(bytes_, '\0');
  d.check(d.cuMemcpyDtoHAsync_v2(data.data(), address_, bytes_, context_->stream()), "copy ", bytes_,
          " bytes from the GPU");
  d.check(d.cuStreamSynchronize(context_->stream()), "copy ", bytes_, " bytes from the GPU");
  return data;
}

void Buffer::fill(const std::string& data) {
  upload(data.size() > bytes_ ? data.substr(0, bytes_) : data);
  const Driver& d = context_->driver();
  for (std::size_t done = std::min(data.size(), bytes_); done < bytes_;) {
    const std::size_t more = std::min(done, bytes_ - done);
    d.check(d.cuMemcpyDtoDAsync_v2(address_ + done, address_, more, context_->stream()), "copy ", more, " bytes");
    done += more;
  }
  d.check(d.cuStreamSynchronize(context_->stream()), "fill ", bytes_, " bytes");
}

// --- kernels ---------------------------------------------------------------------------------------------------------
Module::Module(std::shared_ptr<Context> context, const std::string& image)
    : Owned(std::move(context), &Driver::cuModuleUnload) {
  const DeviceInfo& device = this->context().device();
  const Driver& d = this->context().enter();
  d.check(d.cuModuleLoadData(out(), image.c_str()), "load ", image.size(), " bytes of kernels on ", device.name, " (",
          device.arch, ")");
}

Kernel::Kernel(std::shared_ptr<Module> module, std::string name) : module_(std::move(module)), name_(std::move(name)) {
  const Driver& d = context().enter();
  d.check(d.cuModuleGetFunction(&function_, module_->get(), name_.c_str()), "find the kernel '", name_, "'");
  if (d.cuFuncGetParamInfo == nullptr) return;
  parameters_.emplace();
  std::size_t offset = 0, size = 0;
  int code = abi::kSuccess;
  while ((code = d.cuFuncGetParamInfo(function_, parameters_->size(), &offset, &size)) == abi::kSuccess)
    parameters_->push_back(size);
  if (code != abi::kInvalidValue) parameters_.reset();  // that would have been their end
}

void Kernel::check(const LaunchConfig& config) const {
  const auto& given = config.arguments;
  if (parameters_ && given.size() != parameters_->size())
    throw Error(ErrorKind::usage,
                fmt::format("'{}' takes {} arguments, and {} were given", name_, parameters_->size(), given.size()));
  for (std::size_t i = 0; parameters_ && i < given.size(); ++i)
    if (given[i].size != (*parameters_)[i])
      throw Error(ErrorKind::usage, fmt::format("argument {} of '{}' has {} bytes, and {} were given", i + 1, name_,
                                                (*parameters_)[i], given[i].size));
  if (config.shared_bytes <= kSharedWithoutAsking) return;
  const Driver& d = context().enter();
  d.check(d.cuFuncSetAttribute(function_, abi::kMaxDynamicSharedBytes, static_cast<int>(config.shared_bytes)), "give '",
          name_, "' ", config.shared_bytes, " bytes of shared memory");
}

void Kernel::launch(const LaunchConfig& config) const {
  const Driver& d = context().enter();
  std::vector<void*> arguments;
  arguments.reserve(config.arguments.size());
  for (const auto& argument : config.arguments) arguments.push_back(const_cast<std::byte*>(argument.bytes.data()));
  const auto& [gx, gy, gz] = config.grid;
  const auto& [bx, by, bz] = config.block;
  d.check(d.cuLaunchKernel(function_, gx, gy, gz, bx, by, bz, config.shared_bytes, context().stream(), arguments.data(),
                           nullptr),
          "launch '", name_, "'");
  context().queued();
}

}  // namespace reg::cuda
