#include "bindings/runtime/stuck_calls.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <optional>

namespace reg::lua {
namespace {

// By the kernel's number: glibc's functions have the version 2.34, and packages run with 2.28.
std::optional<int> alarm_clock;

}  // namespace

void end_stuck_calls() {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGVTALRM;
  int made = 0;
  if (::syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &made) == 0) alarm_clock = made;
}

void expect_check_within(std::int64_t microseconds) {
  if (!alarm_clock) return;
  constexpr std::int64_t kSecond = 1'000'000, kGrace = 2 * kSecond;
  const std::int64_t all = microseconds + kGrace;
  const itimerspec due{{}, {all / kSecond, all % kSecond * 1000}};
  ::syscall(SYS_timer_settime, *alarm_clock, 0, &due, nullptr);
}

}  // namespace reg::lua
