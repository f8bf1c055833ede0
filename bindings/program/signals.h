#pragma once

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

  void begin();  ///< something runs, as at the start: the next signal is the first one
  void end();    ///< nothing runs: no signal is the second one

 private:
  struct State;
  std::shared_ptr<State> state_;  // the loop may live longer
};

}  // namespace reg
