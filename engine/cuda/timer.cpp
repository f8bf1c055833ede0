#include "engine/cuda/timer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "engine/cuda/timing_kernels.h"

namespace reg::cuda {
namespace {

// SM numbers may have gaps, so there are more places than SMs.
constexpr std::size_t kSlots = 1024;

struct Stamp {
  std::uint64_t cycles, ns;
};

LaunchConfig::Argument argument(std::uint64_t value, std::size_t size = 8) {
  LaunchConfig::Argument a;
  std::memcpy(a.bytes.data(), &value, size);
  a.size = size;
  return a;
}

}  // namespace

// Memory of the host that the GPU sees.
class Timer::Mapped {
 public:
  Mapped(std::shared_ptr<Context> context, std::size_t bytes) : context_(std::move(context)), bytes_(bytes) {
    const Driver& d = context_->enter();
    d.check(d.cuMemHostAlloc(&host_, bytes, abi::kHostAllocDeviceMap), "allocate ", bytes, " bytes that the GPU sees");
    free_ = Context::freed_by(context_, [host = host_](const Driver& driver) { driver.cuMemFreeHost(host); });
    d.check(d.cuMemHostGetDevicePointer_v2(&device_, host_, 0), "map memory to the GPU");
    clear();
  }

  void clear() { std::memset(host_, 0, bytes_); }
  abi::DevicePtr device(std::size_t offset) const { return device_ + offset; }
  template <class T>
  T* host() const {
    return static_cast<T*>(host_);
  }

 private:
  std::shared_ptr<Context> context_;
  std::size_t bytes_;
  void* host_ = nullptr;
  abi::DevicePtr device_ = 0;
  std::shared_ptr<void> free_;
};

Timer::Timer(const std::shared_ptr<Context>& context, TimerOptions options)
    : context_(context),
      options_(options),
      kernels_(std::make_shared<Module>(context, kTimingKernels)),
      wait_(kernels_, "regengine_wait"),
      stamp_(kernels_, "regengine_stamp"),
      words_(std::make_unique<Mapped>(context_, 2 * sizeof(std::uint32_t))),
      stamps_(std::make_unique<Mapped>(context_, 2 * kSlots * sizeof(Stamp))),
      start_(context_),
      end_(context_),
      stamped_(context_, abi::kEventDisableTiming) {
  if (options_.flush && context_->device().l2_bytes > 0) l2_.emplace(context_, context_->device().l2_bytes);
  // The first launch of a kernel loads it, and waits for the GPU: not within a region. The wait ends at once.
  words_->host<std::uint32_t>()[0] = 1;
  launch_wait();
  stamp(0);
  start_.record();
  end_.record();
  end_.synchronize();
}

Timer::~Timer() { abandon(); }

void Timer::launch_wait() {
  LaunchConfig config;
  const auto limit_ns = static_cast<std::uint64_t>(options_.block_limit_s * 1e9);
  config.arguments = {argument(words_->device(0)), argument(words_->device(sizeof(std::uint32_t))), argument(limit_ns)};
  wait_.launch(config);
}

void Timer::stamp(int side) {
  LaunchConfig config;
  config.grid[0] = static_cast<unsigned>(context_->device().multiprocessors);
  config.arguments = {argument(stamps_->device(static_cast<std::size_t>(side) * kSlots * sizeof(Stamp))),
                      argument(kSlots, sizeof(std::uint32_t))};
  stamp_.launch(config);
}

void Timer::begin() {
  if (context_->held())
    throw Error(ErrorKind::usage, "another region of this GPU is being timed", "one after the other");
  if (l2_) l2_->zero();
  const Driver& d = context_->enter();
  d.check(d.cuStreamSynchronize(context_->stream()), "wait for earlier work");
  stamps_->clear();
  words_->clear();
  released_early_ = false;
  running_ = true;
  if (options_.block) {
    launch_wait();
    context_->hold([this] {
      released_early_ = true;
      release();
    });
  }
  stamp(0);
  start_.record();
}

Sample Timer::end() {
  end_.record();
  stamp(1);
  stamped_.record();
  release();
  running_ = false;
  context_->unhold();
  stamped_.synchronize();
  if (timed_out())
    throw Error(ErrorKind::usage,
                fmt::format("the timed function waits for the GPU, which was held for {} s until the function returns",
                            options_.block_limit_s),
                "take what synchronises out of it (a copy to the host, an allocation), or give block = false");
  return {end_.seconds_since(start_), sm_mhz()};
}

void Timer::abandon() {
  if (!running_) return;
  running_ = false;
  release();
  context_->unhold();
  context_->enter_to_free();
  context_->driver().cuStreamSynchronize(context_->stream());
}

void Timer::release() { std::atomic_ref(words_->host<std::uint32_t>()[0]).store(1, std::memory_order_release); }

bool Timer::timed_out() const {
  return std::atomic_ref(words_->host<std::uint32_t>()[1]).load(std::memory_order_acquire) != 0;
}

// Cycles by time on each SM that was stamped on both sides; the middle one.
std::optional<double> Timer::sm_mhz() const {
  const std::span<const Stamp> before(stamps_->host<Stamp>(), kSlots);
  const std::span<const Stamp> after(stamps_->host<Stamp>() + kSlots, kSlots);
  std::vector<double> mhz;
  for (std::size_t sm = 0; sm < kSlots; ++sm) {
    if (before[sm].ns == 0 || after[sm].ns <= before[sm].ns) continue;
    const auto cycles = static_cast<double>(after[sm].cycles - before[sm].cycles);
    mhz.push_back(1e3 * cycles / static_cast<double>(after[sm].ns - before[sm].ns));
  }
  if (mhz.empty()) return std::nullopt;
  const auto middle = mhz.begin() + static_cast<std::ptrdiff_t>(mhz.size() / 2);
  std::nth_element(mhz.begin(), middle, mhz.end());
  return *middle;
}

}  // namespace reg::cuda
