#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reg {

/// What an effect touches. Scripts use these names in `reg.needs`, so they are part of the interface.
/// `unboxed`: a program with all of the user's rights, where `process` is one in a sandbox.
enum class EffectKind { process, unboxed, container, git, files, gpu, machine };

const std::vector<std::string>& effect_kind_names();
const char* to_string(EffectKind kind);
std::optional<EffectKind> effect_kind(std::string_view name);

/// One permission that an untrusted script needs for an effect.
struct Need {
  EffectKind kind;
  std::vector<std::string> names;  ///< the names a pattern can match; files: one absolute path, links resolved
  bool changes = true;             ///< files: false if reading is enough
  bool free_inside = false;        ///< a path in the workspace needs no permission
  bool to_the_letter = false;      ///< '*' does not match it: only a pattern equal to the name permits it
  bool only_user = false;  ///< no declaration and no answer permits it: only --allow, or an option the user typed
};

Need reads(const std::string& path);  ///< free in the workspace
Need writes(const std::string& path);
Need uses(const std::string& path);  ///< a mount, the target of a clone: free in the workspace

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
bool makes_programs_load(std::string_view name);

/// Whether the name says that the value is a secret: HF_TOKEN, AWS_SECRET_ACCESS_KEY, PGPASSWORD.
bool names_secret(std::string_view name);

inline bool names_programs(EffectKind kind) { return kind == EffectKind::process || kind == EffectKind::unboxed; }

/// Of process: FAST= is a variable, ./FAST= a program.
inline bool names_variable(std::string_view pattern) {
  return pattern.ends_with('=') && pattern.find('/') == std::string_view::npos;
}

/// Whether the pattern matches the whole name. '*' matches any characters, '/' included; everything else is literal.
/// `path`: as in a shell, '*' does not match a leading dot of a name: ".git", ".ssh" and the like must be written out.
bool matches(std::string_view pattern, std::string_view name, bool path = false);

/// At the end of a pattern of files: only to read them.
inline constexpr std::string_view kReadOnly = ":ro";

/// The patterns of each kind, as reg.needs and --allow take them.
/// Paths of files and repositories are relative to the workspace or absolute: only a pattern that begins with '/'
/// matches something outside. "FOLDER/*" includes the folder itself; ":ro" at the end of a files pattern means
/// read-only.
class Patterns {
 public:
  /// Throws usage for a pattern that is empty, too long, or contains control characters.
  void add(EffectKind kind, const std::string& pattern);
  void add(const Patterns& more);

  bool empty() const { return of_.empty(); }
  const std::map<EffectKind, std::vector<std::string>>& all() const { return of_; }

  bool cover(const Need& need, const std::string& workspace) const;
  /// Those that are not, as they stand there, among `others`.
  Patterns without(const Patterns& others) const;

 private:
  bool holds(EffectKind kind, const std::string& pattern) const;

  std::map<EffectKind, std::vector<std::string>> of_;
};

/// The path as a pattern names it: relative to the workspace if it is inside it. "." is the workspace itself.
std::string path_for_patterns(const std::string& path, const std::string& workspace);

/// Whether the absolute path is the folder or is below it.
bool lies_in(std::string_view path, std::string_view folder);

/// What a program in the sandbox may reach of the user's files: absolute paths of files and of folders with all below.
struct Bounds {
  std::string workspace;
  std::vector<std::string> read;
  std::vector<std::string> write;

  /// What these patterns permit outside the workspace, and is there: of `files`, and repositories to read. Of a folder
  /// that "FOLDER/*" names, programs get all; only what is hidden in the user's home stays out, as it does for scripts,
  /// and `state`, where the user's trust is kept. A link counts where it leads.
  void add(const Patterns& patterns, const std::string& home, const std::string& state);
};

}  // namespace reg
