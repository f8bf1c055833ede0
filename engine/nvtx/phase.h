#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace reg::nvtx {

/// The name of the engine's own domain, which an nsys capture of an investigation reads by.
constexpr const char* kEngineDomain = "regengine";

/// A phase of the engine's own work as a range in its domain, from here to the end of this object: a checkout, a pull,
/// a command. Phases of tasks that take turns overlap, so they are start/end ranges and never on the thread's stack.
/// The phases of an investigation that only the stdlib knows (subject, trial) are marked there, in the same domain.
class Phase {
 public:
  /// `category` is one of those that phase.cpp has a colour for. Long texts are cut.
  Phase(const char* category, std::string text);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  std::optional<std::uint64_t> range_;
};

}  // namespace reg::nvtx
