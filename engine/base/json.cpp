#include "engine/base/json.h"

namespace reg {

bool nests_too_deep(std::string_view json) {
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
