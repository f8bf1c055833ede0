#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cuda/driver.h"

namespace reg::cuda {

/// A GPU in use: its primary context, which it shares with cuBLAS and with everybody else in this process, and the
/// stream that work goes to where no other is named. Every object made in it keeps it alive; the last one gives the GPU
/// back.
///
/// It also knows whether the stream is held at the moment, in a timed region behind its blocking kernel. Then nothing
/// may wait for the GPU, and what is freed meanwhile is freed afterwards: freeing waits.
class Context {
 public:
  /// The same one while it lives: a GPU has one primary context, and it is held as a whole.
  static std::shared_ptr<Context> open(int index);
  /// For a dry run: everything goes well and nothing happens. `arch` stands for a GPU's.
  static std::shared_ptr<Context> dry(int index);

  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return *driver_; }
  const DeviceInfo& device() const { return device_; }
  bool is_dry() const { return driver_ == &dry_driver(); }
  abi::Handle stream() const { return stream_; }

  /// Makes it the calling thread's context. Whoever calls the driver calls this before. Returns the driver.
  const Driver& enter() const;
  /// The same on the way out, where nobody can be told: it fails only where the GPU is lost.
  void enter_to_free() const { driver_->cuCtxSetCurrent(handle_); }

  /// Waits for all work of this GPU.
  void synchronize();

  // --- holding ---
  /// `release` lets held work go on; it is called when so much is queued that the driver would soon wait for room.
  void hold(std::function<void()> release);
  /// Frees what was to be freed meanwhile.
  void unhold();
  bool held() const { return held_; }

  /// Throws Error(usage) while the stream is held: `what` would wait for work that waits for the caller.
  void refuse_waiting(const char* what) const;
  /// To be called after each piece of work that was queued.
  void queued();
  /// Calls `free(driver)` when the last copy of the result is gone, or after the hold.
  static std::shared_ptr<void> freed_by(std::shared_ptr<Context> context, std::function<void(const Driver&)> free);

 private:
  Context(const Driver& driver, DeviceInfo device);

  const Driver* driver_;
  DeviceInfo device_;
  abi::Handle handle_ = nullptr;
  abi::Handle stream_ = nullptr;
  bool held_ = false;
  std::function<void()> release_;
  int queued_ = 0;
  std::vector<std::function<void()>> to_free_;
};

}  // namespace reg::cuda
