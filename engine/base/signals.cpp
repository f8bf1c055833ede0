#include "engine/base/signals.h"

#include <atomic>
#include <csignal>

namespace reg {
namespace {

std::atomic<std::int64_t> interrupt_count{0}, stop_count{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

}  // namespace

void count_interrupt() { ++interrupt_count; }

std::int64_t interrupts() { return interrupt_count; }

// SIGSTOP cannot be caught, and SIGTSTP stops no process whose handler caught it: what can be seen of both is their
// end.
void count_stops() {
  struct sigaction action {};
  action.sa_handler = [](int) { ++stop_count; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &action, nullptr);
}

std::int64_t stops() { return stop_count; }

}  // namespace reg
