#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reg {

/// What an effect touches. Scripts use these names in `reg.needs`, so they are part of the interface.
/// `unboxed`: a program with all of the user's rights, where `process` is one in a sandbox.
enum class EffectKind { process, unboxed, container, git, files, gpu, machine };

const char* to_string(EffectKind kind);
std::optional<EffectKind> effect_kind(std::string_view name);
const std::vector<std::string>& effect_kind_names();

/// One permission that an untrusted script needs for an effect.
struct Need {
  EffectKind kind;
  std::vector<std::string> names;  ///< the names a pattern can match; files: one absolute path, links resolved
  bool changes = true;             ///< files: false if reading is enough
  bool free_inside = false;        ///< a path in the workspace needs no permission
  bool to_the_letter = false;      ///< '*' does not match it: only a pattern equal to the name permits it
  bool only_user = false;  ///< no declaration and no answer permits it: only --allow, or an option the user typed
};

/// Reading a file or folder: free in the workspace.
Need reads(const std::string& path);
/// Writing a file.
Need writes(const std::string& path);
/// Using a folder, which another permission covers if it is in the workspace: a mount, the target of a clone.
Need uses(const std::string& path);

/// Something that reaches outside the engine, announced before it happens.
struct Effect {
  EffectKind kind;
  std::string what;         ///< for people, on one line: "docker run --rm busybox true", "fetch https://..."
  std::vector<Need> needs;  ///< each must be permitted; {}: no permission needed
  bool changes = true;      ///< false if it only reads: a manifest, a log, a file
  /// All of it that a measurement may depend on: command, environment, contents of files. "" = what `what` says.
  std::string identity = {};
  std::string image = {};   ///< whose digest counts: `identity` does not name it
  std::string folder = {};  ///< whose contents `identity` describes, so that its path does not count
};

/// Whether a variable of this name, with or without "=" after it, makes programs load or run others: LD_PRELOAD, PATH.
/// No list of these is complete.
bool makes_programs_load(std::string_view name);

/// Whether the name says that the value is a secret: HF_TOKEN, AWS_SECRET_ACCESS_KEY, PGPASSWORD.
bool names_secret(std::string_view name);

}  // namespace reg
