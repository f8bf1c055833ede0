#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/base/file.h"

namespace reg::process {

using Clock = std::chrono::steady_clock;

/// Notes when a process ends, on a thread of its own: the loop's may be busy at that moment.
class ExitTime {
 public:
  explicit ExitTime(Fd pidfd);
  ~ExitTime();
  ExitTime(const ExitTime&) = delete;
  ExitTime& operator=(const ExitTime&) = delete;

  std::optional<Clock::time_point> ended() const;  ///< nullopt until it is noted

 private:
  Fd pidfd_;
  std::uint64_t number_;
};

}  // namespace reg::process
