#include "engine/guard/bounds.h"

#include <glob.h>

#include <algorithm>
#include <string_view>

#include "engine/base/file.h"

namespace reg {
namespace {

std::vector<std::string> matching(const std::string& pattern) {
  std::string escaped;
  for (const char c : pattern) escaped += c == '?' || c == '[' || c == '\\' ? std::string{'\\', c} : std::string{c};
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(escaped.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

bool holds_either(const std::string& path, const std::string& home, const std::string& state) {
  return (!home.empty() && lies_in(home, path)) || (!state.empty() && lies_in(state, path));
}

void add_all_but_hidden(const std::string& path, const std::string& home, const std::string& state,
                        std::vector<std::string>& paths) {
  if (!state.empty() && lies_in(path, state)) return;
  if (!holds_either(path, home, state)) return paths.push_back(path);
  for (const std::string& entry : matching(path == "/" ? "/*" : path + "/*"))
    if (real_path(entry) == entry) add_all_but_hidden(entry, home, state, paths);
}

}  // namespace

void Bounds::add(const Patterns& patterns, const std::string& home, const std::string& state) {
  constexpr std::string_view kReadOnly = ":ro", kAllInside = "/*";
  for (const auto& [kind, of_kind] : patterns.all()) {
    if (kind != EffectKind::files && kind != EffectKind::git) continue;
    for (std::string pattern : of_kind) {
      if (!pattern.starts_with('/')) continue;
      const bool read_only = pattern.ends_with(kReadOnly);
      if (read_only) pattern.resize(pattern.size() - kReadOnly.size());
      if (pattern.ends_with(kAllInside)) pattern.resize(std::max<std::size_t>(1, pattern.size() - kAllInside.size()));
      for (const std::string& path : matching(pattern))
        if (real_path(path) == path)
          add_all_but_hidden(path, home, state, read_only || kind == EffectKind::git ? read : write);
    }
  }
}

}  // namespace reg
