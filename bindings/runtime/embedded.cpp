#include "bindings/runtime/embedded.h"

#include <algorithm>

namespace reg {

std::string_view find_embedded(std::string_view name) {
  const Embedded* end = kEmbedded + kEmbeddedCount;
  const Embedded* found = std::find_if(kEmbedded, end, [&](const Embedded& file) { return file.name == name; });
  return found == end ? std::string_view{} : found->text;
}

}  // namespace reg
