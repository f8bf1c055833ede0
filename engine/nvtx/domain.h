#pragma once

#include <map>
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

}  // namespace reg::nvtx
