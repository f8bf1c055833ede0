#pragma once

#include <memory>
#include <optional>

#include "engine/cuda/objects.h"

namespace reg::cuda {

/// One measurement: the time of a region, and the SM clock while it ran where that could be told.
struct Sample {
  double seconds = 0;
  std::optional<double> sm_mhz;
};

struct TimerOptions {
  bool flush = true;  ///< write as much as the L2 cache holds before each region, so that nothing of it is left
  bool block = true;  ///< hold the GPU until all of the region is queued, so that the host's speed is outside it
  double block_limit_s = 10;  ///< how long the GPU is held at most: work that waits for it would wait for ever
};

/// Times regions of work in a context's stream by events: begin(), queue work, end(). Between the two events nothing
/// waits for the host and the host waits for nothing. Around them, on both sides, the SM clock is stamped. It knows no
/// statistics and no Lua, and it runs one region at a time.
class Timer {
 public:
  Timer(const std::shared_ptr<Context>& context, TimerOptions options);
  ~Timer();

  void begin();

  /// The region's time. Waits for it. Throws Error(usage) where the region's work waited for the GPU while it was held.
  Sample end();

  /// Ends a region that broke off, if there is one; its time is lost.
  void abandon();

  /// Whether so much was queued that the GPU had to be let go before the region's end.
  bool released_early() const { return released_early_; }

 private:
  struct Shared;

  void launch_wait();
  void stamp(std::size_t side);
  std::optional<double> sm_mhz() const;
  void release();

  std::shared_ptr<Context> context_;
  TimerOptions options_;
  std::shared_ptr<Module> kernels_;
  Kernel wait_, stamp_;
  Shared* shared_ = nullptr;
  abi::DevicePtr shared_address_ = 0;  // of the same, as the GPU sees it
  std::shared_ptr<void> free_;
  std::optional<Buffer> l2_;
  Event start_, end_, stamped_;
  bool running_ = false;
  bool released_early_ = false;
};

}  // namespace reg::cuda
