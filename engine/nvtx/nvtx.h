#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/error.h"

// Ranges for a profiler, in the domain "regengine". Without a profiler, or where NVTX's headers were missing when the
// engine was built, all of it does nothing.

namespace reg::nvtx {

/// Whether a tool listens, and why not. The first call is what looks for one.
const Presence& status();

/// A range from here to the end of this object, on the loop's thread. Those of tasks that take turns end in any order.
class Range {
 public:
  /// Tools group ranges by category; "" is none. Long texts are cut.
  Range(const std::string& category, std::string text);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  std::optional<std::uint64_t> id_;
};

}  // namespace reg::nvtx
