#pragma once

#include <cstdint>

namespace reg {

/// Counts a signal that asks this process to stop. Any thread may call it.
void count_interrupt();

/// Work in C during which this number grew is wanted no longer.
std::int64_t interrupts();

}  // namespace reg
