#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace reg::lua {

/// The allocator of one Lua state: counts what its values take and refuses more than a limit. Lua then collects
/// garbage, retries, and raises "not enough memory" in the script. The engine's own memory is not counted.
class Memory {
 public:
  explicit Memory(std::size_t limit) : limit_(limit), allowed_(limit) {}

  std::size_t limit() const { return limit_; }
  std::string words() const;  ///< the limit as text, "2 GiB"
  std::size_t left() const { return used_ < allowed_ ? allowed_ - used_ : 0; }

  /// Allows so many more bytes, beyond the limit if necessary: at the prompt, the line that frees memory must be read
  /// and run, and a stopped script must close its objects.
  void make_room(std::size_t bytes) { allowed_ = std::max(limit_, used_ + bytes); }

  /// A lua_Alloc; `self` is the Memory.
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);

 private:
  std::size_t limit_;
  std::size_t allowed_;
  std::size_t used_ = 0;
};

/// From now on a single call into C that exceeds the limit of instructions ends this process with SIGVTALRM. Nothing
/// checks the limit during the call.
void end_stuck_calls();

/// Before a script goes on: it may compute for so long, in the CPU time of this thread, before the next check.
void expect_check_within(std::int64_t microseconds);

}  // namespace reg::lua
