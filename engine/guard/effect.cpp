#include "engine/guard/effect.h"

#include <algorithm>

#include "engine/base/file.h"

namespace reg {

const std::vector<std::string>& effect_kind_names() {
  static const std::vector<std::string> names{"process", "unboxed", "container", "git", "files", "gpu", "machine"};
  return names;
}

const char* to_string(EffectKind kind) { return effect_kind_names().at(static_cast<std::size_t>(kind)).c_str(); }

std::optional<EffectKind> effect_kind(std::string_view name) {
  const auto& names = effect_kind_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<EffectKind>(found - names.begin());
}

Need reads(const std::string& path) { return {EffectKind::files, {real_path(path)}, false, true}; }

Need writes(const std::string& path) { return {EffectKind::files, {real_path(path)}}; }

Need uses(const std::string& path) { return {EffectKind::files, {real_path(path)}, true, true}; }

}  // namespace reg
