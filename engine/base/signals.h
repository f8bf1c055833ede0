#pragma once

#include <atomic>
#include <cstdint>

namespace reg {

/// How many signals have asked this process to stop. Work in C during which this grows is to end.
inline std::atomic<std::int64_t> interrupt_count = 0;

/// How often this process went on after it was stopped, as by Ctrl-Z; main() has it counted. What runs while this
/// changes was not timed or watched all the time.
inline std::atomic<std::int64_t> stop_count = 0;
inline std::int64_t stops() { return stop_count; }

}  // namespace reg
