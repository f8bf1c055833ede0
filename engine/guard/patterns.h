#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/guard/effect.h"

namespace reg {

/// Whether '*' in the pattern can stand for parts of the name so that the two are one. '*' is any run of characters,
/// '/' too; all else stands for itself.
bool matches(std::string_view pattern, std::string_view name);

/// The same for paths. As in a shell '*' does not stand for the dot that begins a name: ".git", ".ssh" and the like are
/// reached only by a pattern that says so.
bool path_matches(std::string_view pattern, std::string_view path);

/// The patterns of each kind, as reg.needs and --allow name them.
/// Paths, of files and of repositories, are relative to the workspace, or absolute: what lies outside is reached only
/// by a pattern that begins with '/'. "FOLDER/*" is the folder itself too; ":ro" at the end of a files pattern: for
/// reading.
class Patterns {
 public:
  /// Throws usage for a pattern that can match nothing.
  void add(EffectKind kind, const std::string& pattern);
  void add(const Patterns& more);

  bool empty() const { return of_.empty(); }
  const std::map<EffectKind, std::vector<std::string>>& all() const { return of_; }

  bool cover(const Need& need, const std::string& workspace) const;
  /// Whether it was added, as it is written there.
  bool holds(EffectKind kind, const std::string& pattern) const;

 private:
  std::map<EffectKind, std::vector<std::string>> of_;
};

/// How a pattern would name it: relative to the workspace where it lies in it. "." for the workspace itself.
std::string path_for_patterns(const std::string& path, const std::string& workspace);

/// Whether the absolute path is the folder or lies below it.
bool lies_in(std::string_view path, std::string_view folder);

}  // namespace reg
