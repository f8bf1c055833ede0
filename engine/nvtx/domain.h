#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/nvtx/tool.h"

namespace reg::nvtx {

/// Why nothing is recorded, or that something is. The first call of this or of attached() is what looks for a tool.
const Presence& status();

/// Whether a tool listens. Without one no event need be made up: the functions of a Domain then do nothing.
inline bool attached() {
  static const bool listening = status().ok;
  return listening;
}

/// A set of marks and ranges with a name of its own, which tools show and filter by. Owns the numbers of its
/// categories. Lives as long as the process, as tools expect; used on the loop's thread.
class Domain {
 public:
  /// The domain of that name, made at its first use; "" = NVTX's default domain.
  static Domain& named(const std::string& name);

  /// The number of the category, which the tool is told the name of at its first use. 0 without a tool.
  std::uint32_t category(const std::string& name);

  void mark(const Event& event);

  /// A range from here to end(), in whatever order and on whatever thread ranges end.
  std::uint64_t start(const Event& event);
  void end(std::uint64_t range);

  /// A range on the thread's stack: the innermost ends first. Tools lay GPU work to these.
  void push(const Event& event);
  void pop();

 private:
  explicit Domain(const std::string& name);

  void* handle_ = nullptr;
  std::map<std::string, std::uint32_t> categories_;
};

/// The name of the engine's own domain, which an nsys capture of an investigation reads by.
constexpr const char* kEngineDomain = "regengine";

/// A phase of the engine's own work as a range in its domain, from here to the end of this object: a checkout, a pull,
/// a command. Phases of tasks that take turns overlap, so they are start/end ranges and never on the thread's stack.
/// The phases of an investigation that only the stdlib knows (subject, trial) are marked there, in the same domain.
class Phase {
 public:
  /// `category` is one of those that domain.cpp has a color for. Long texts are cut.
  Phase(const char* category, std::string text);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  std::optional<std::uint64_t> range_;
};

}  // namespace reg::nvtx
