#include "bindings/program/signals.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "engine/base/signals.h"
#include "engine/process/command.h"

namespace reg {
namespace {

constexpr std::chrono::seconds kPatience{1};

[[noreturn]] void end_everything() {
  process::kill_everything();
  _exit(128 + SIGINT);
}

}  // namespace

StopSignals::StopSignals(Loop& loop, std::function<void(int)> stop) {
  loop.on_stop_signal(
      [seen = seen_, stop = std::move(stop)](int signal) {
        if (*seen > 1) end_everything();
        stop(signal);
      },
      // What runs is known to the loop's thread: it has its chance first.
      [seen = seen_](int) {
        count_interrupt();
        if (*seen < 0 || ++*seen < 2) return;
        std::thread([] {
          std::this_thread::sleep_for(kPatience);
          end_everything();
        }).detach();
      });
}

}  // namespace reg
