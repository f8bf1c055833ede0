#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace reg::lua {

/// The memory of one Lua state: what its tables and strings take, counted, and refused beyond a limit. Lua then
/// collects its garbage, tries once more, and raises "not enough memory" in the script. What the engine itself takes is
/// not counted.
class Memory {
 public:
  explicit Memory(std::size_t limit) : limit_(limit), allowed_(limit) {}

  std::size_t limit() const { return limit_; }
  std::string words() const;  ///< the limit, "2 GiB"
  std::size_t left() const { return used_ < allowed_ ? allowed_ - used_ : 0; }

  /// From here on there is room for so many bytes, beyond the limit where it is reached: the line at the prompt that
  /// lets go of what took all must be read and run, and what a script holds be closed.
  void make_room(std::size_t bytes) { allowed_ = std::max(limit_, used_ + bytes); }

  /// A lua_Alloc; `self` is the Memory.
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);

 private:
  std::size_t limit_;
  std::size_t allowed_;
  std::size_t used_ = 0;
};

}  // namespace reg::lua
