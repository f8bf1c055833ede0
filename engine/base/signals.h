#pragma once

#include <cstdint>

namespace reg {

/// Counts a signal that asks this process to stop. Any thread may call it.
void count_interrupt();

/// Work in C during which this number grew is wanted no longer.
std::int64_t interrupts();

/// Counts from now on how often this process goes on after it was stopped, as by Ctrl-Z.
void count_stops();

/// What runs while this number changes was not timed or watched all the time.
std::int64_t stops();

}  // namespace reg
