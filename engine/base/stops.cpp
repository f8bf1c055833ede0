#include "engine/base/stops.h"

#include <atomic>
#include <csignal>

namespace reg {
namespace {

std::atomic<std::int64_t> count{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

}  // namespace

// SIGSTOP cannot be caught, and SIGTSTP stops no process whose handler caught it: what can be seen of both is their
// end.
void count_stops() {
  struct sigaction action {};
  action.sa_handler = [](int) { ++count; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &action, nullptr);
}

std::int64_t stops() { return count; }

}  // namespace reg
