#include "engine/base/interrupts.h"

#include <atomic>

namespace reg {
namespace {

std::atomic<std::int64_t> count{0};

}  // namespace

void count_interrupt() { ++count; }

std::int64_t interrupts() { return count; }

}  // namespace reg
