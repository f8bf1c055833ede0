#include "bindings/program/signals.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "engine/base/signals.h"
#include "engine/loop/loop.h"
#include "engine/process/command.h"

namespace reg {
namespace {

constexpr std::chrono::seconds kPatience{1};

[[noreturn]] void end_everything() {
  process::kill_everything();
  _exit(128 + SIGINT);
}

}  // namespace

struct StopSignals::State {
  std::atomic<int> seen = 0;
  std::atomic<bool> running = true;
};

StopSignals::StopSignals(Loop& loop, std::function<void(int)> stop) : state_(std::make_shared<State>()) {
  loop.on_stop_signal(
      [state = state_, stop = std::move(stop)](int signal) {
        if (state->seen > 1) end_everything();
        stop(signal);
      },
      // What runs is known to the loop's thread: it has its chance first.
      [state = state_](int) {
        count_interrupt();
        if (!state->running || ++state->seen < 2) return;
        std::thread([] {
          std::this_thread::sleep_for(kPatience);
          end_everything();
        }).detach();
      });
}

void StopSignals::begin() {
  state_->seen = 0;
  state_->running = true;
}

void StopSignals::end() {
  state_->running = false;
  state_->seen = 0;
}

}  // namespace reg
