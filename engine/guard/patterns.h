#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/guard/policy.h"

namespace reg {

/// Whether names of this kind are those of programs.
bool names_programs(EffectKind kind);

/// Of process: FAST= is a variable, ./FAST= a program.
bool names_variable(std::string_view pattern);

/// Whether the pattern matches the whole name. '*' matches any characters, '/' included; everything else is literal.
bool matches(std::string_view pattern, std::string_view name);

/// The same for paths. As in a shell, '*' does not match a leading dot of a name: ".git", ".ssh" and the like must be
/// written out.
bool path_matches(std::string_view pattern, std::string_view path);

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
  /// Whether exactly this pattern was added.
  bool holds(EffectKind kind, const std::string& pattern) const;

 private:
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
