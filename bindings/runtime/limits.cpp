#include "bindings/runtime/limits.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <optional>

namespace reg::lua {
namespace {

// By the kernel's number: glibc's functions have the version 2.34, and packages run with 2.28.
std::optional<int> alarm_clock;

}  // namespace

std::string Memory::words() const {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const std::size_t mib = limit_ / kMiB;
  return mib >= 1024 && mib % 1024 == 0 ? std::to_string(mib / 1024) + " GiB" : std::to_string(mib) + " MiB";
}

void* Memory::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  Memory& memory = *static_cast<Memory*>(self);
  if (block == nullptr) old_size = 0;  // for a new block it is the type of object, not a size
  if (new_size == 0) {
    std::free(block);
    memory.used_ -= old_size;
    return nullptr;
  }
  if (new_size > old_size && new_size - old_size > memory.left()) return nullptr;
  void* moved = std::realloc(block, new_size);
  if (moved != nullptr) memory.used_ += new_size - old_size;
  return moved;
}

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
