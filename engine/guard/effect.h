#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reg {

/// What an effect touches. Scripts name these in `reg.needs`, so the words are part of the interface.
enum class EffectKind { process, container, git, files, gpu, machine };

const char* to_string(EffectKind kind);
std::optional<EffectKind> effect_kind(std::string_view name);
const std::vector<std::string>& effect_kind_names();

/// One thing that a script from elsewhere must have been permitted before an effect may happen.
struct Need {
  EffectKind kind;
  std::vector<std::string> names;  ///< what a pattern may call it by; files: one absolute path, links resolved
  bool changes = true;             ///< files: false where reading is enough
  bool free_inside = false;        ///< a path in the workspace needs nothing
  bool to_the_letter = false;      ///< too much for '*': only a pattern that is the name itself permits it
};

/// A file or folder that is read: free in the workspace.
Need reads(const std::string& path);
/// A file that is written.
Need writes(const std::string& path);
/// A folder whose use is part of another permission while it lies in the workspace: a mount, the place of a clone.
Need uses(const std::string& path);

/// Something that reaches outside the engine, said before it happens.
struct Effect {
  EffectKind kind;
  std::string what;         ///< for people, on one line: "docker run --rm busybox true", "fetch https://..."
  std::vector<Need> needs;  ///< each must be permitted; {}: everybody may
  bool changes = true;      ///< false for what only looks: a manifest, a log, a file read
};

}  // namespace reg
