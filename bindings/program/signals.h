#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/loop/loop.h"

namespace reg {

/// SIGINT, SIGTERM and SIGHUP: the first stops the script cleanly, the second ends the engine and all its commands,
/// even where the script is in a C function that nothing can interrupt.
class StopSignals {
 public:
  /// Calls `stop(signal)` on the loop's thread at each signal that does not end the engine.
  StopSignals(Loop& loop, std::function<void(int)> stop);

  void begin() { *seen_ = 0; }  ///< something runs, as at the start: the next signal is the first one
  void end() { *seen_ = -1; }   ///< nothing runs: no signal is the second one

 private:
  std::shared_ptr<std::atomic<int>> seen_ = std::make_shared<std::atomic<int>>(0);  // the loop may live longer
};

}  // namespace reg
