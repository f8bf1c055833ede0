#pragma once

#include <cstdint>

namespace reg {

/// Counts from now on how often this process goes on after it was stopped, as by Ctrl-Z.
void count_stops();

/// What runs while this number changes was not timed or watched all the time.
std::int64_t stops();

}  // namespace reg
