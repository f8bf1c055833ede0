#include "bindings/runtime/memory.h"

#include <cstdlib>

namespace reg::lua {

std::string Memory::words() const {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const std::size_t mib = limit_ / kMiB;
  return mib >= 1024 && mib % 1024 == 0 ? std::to_string(mib / 1024) + " GiB" : std::to_string(mib) + " MiB";
}

void* Memory::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
  Memory& memory = *static_cast<Memory*>(self);
  if (block == nullptr) old_size = 0;  // for a new block it is the type of object, not a size
  if (new_size == 0) {
    std::free(block);
    memory.used_ -= old_size;
    return nullptr;
  }
  if (new_size > old_size && new_size - old_size > memory.left()) return nullptr;
  void* moved = std::realloc(block, new_size);
  if (moved != nullptr) memory.used_ += new_size - old_size;
  return moved;
}

}  // namespace reg::lua
