#include "engine/base/json.h"

#include <algorithm>

namespace reg {

bool nests_too_deep(std::string_view json) {
  const auto opened = std::ranges::count(json, '[') + std::ranges::count(json, '{');
  if (opened <= kDeepestJson) return false;  // quickly said of most
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > kDeepestJson) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

}  // namespace reg
