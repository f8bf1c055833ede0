#include "engine/cuda/timer.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

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

// In memory of the host that the GPU sees.
struct Timer::Shared {
  std::uint32_t go_on, timed_out;
  Stamp stamps[2][kSlots];  // [side][SM]
};

Timer::Timer(const std::shared_ptr<Context>& context, TimerOptions options)
    : context_(context),
      options_(options),
      kernels_(std::make_shared<Module>(context, kTimingKernels)),
      wait_(kernels_, "regengine_wait"),
      stamp_(kernels_, "regengine_stamp"),
      start_(context_),
      end_(context_),
      stamped_(context_, abi::kEventDisableTiming) {
  const Driver& d = context_->enter();
  void* memory = nullptr;
  d.check(d.cuMemHostAlloc(&memory, sizeof(Shared), abi::kHostAllocDeviceMap), "allocate ", sizeof(Shared),
          " bytes that the GPU sees");
  free_ = Context::freed_by(context_, [memory](const Driver& driver) { driver.cuMemFreeHost(memory); });
  d.check(d.cuMemHostGetDevicePointer_v2(&shared_address_, memory, 0), "map memory to the GPU");
  if (options_.flush && context_->device().l2_bytes > 0) l2_.emplace(context_, context_->device().l2_bytes);
  // The first launch of a kernel loads it, and waits for the GPU: not within a region. The wait ends at once.
  shared_ = new (memory) Shared{1, 0, {}};
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
  config.arguments = {argument(shared_address_ + offsetof(Shared, go_on)),
                      argument(shared_address_ + offsetof(Shared, timed_out)), argument(limit_ns)};
  wait_.launch(config);
}

void Timer::stamp(std::size_t side) {
  LaunchConfig config;
  config.grid[0] = static_cast<unsigned>(context_->device().multiprocessors);
  config.arguments = {argument(shared_address_ + offsetof(Shared, stamps) + side * sizeof shared_->stamps[0]),
                      argument(kSlots, sizeof(std::uint32_t))};
  stamp_.launch(config);
}

void Timer::begin() {
  if (context_->held())
    throw Error(ErrorKind::usage, "another region of this GPU is being timed", "one after the other");
  if (l2_) l2_->zero();
  const Driver& d = context_->enter();
  d.check(d.cuStreamSynchronize(context_->stream()), "wait for earlier work");
  *shared_ = {};
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
  if (std::atomic_ref(shared_->timed_out).load(std::memory_order_acquire) != 0)
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

void Timer::release() { std::atomic_ref(shared_->go_on).store(1, std::memory_order_release); }

// Cycles by time on each SM that was stamped on both sides; the middle one.
std::optional<double> Timer::sm_mhz() const {
  const auto& [before, after] = shared_->stamps;
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
