#include "engine/guard/effect.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg {
namespace {

// What the dynamic linker, shells, interpreters, git, make and CUDA obey.
constexpr std::string_view kLoaders =
    "PATH HOME ENV BASH_ENV SHELL SHELLOPTS IFS GCONV_PATH NODE_OPTIONS RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS "
    "MAKEFLAGS MAKEFILES GNUMAKEFLAGS EDITOR VISUAL PAGER DOCKER_HOST CONTAINER_HOST DOCKER_CONFIG "
    "XDG_CONFIG_HOME CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH NVTX_INJECTION32_PATH CUDA_INJECTION32_PATH "
    "LESSOPEN";
constexpr std::array<std::string_view, 5> kLoaderFamilies{"LD_", "GIT_", "PYTHON", "PERL5", "BASH_FUNC_"};

// Words between the underscores of a name.
constexpr std::string_view kSecretWords = "TOKEN KEY KEYS PASS PWD CRED CREDS PAT JWT";

constexpr std::size_t kLongest = 4096;

bool begins_hidden(std::string_view text, std::size_t at) {
  return text[at] == '.' && (at == 0 || text[at - 1] == '/');
}

// A program in the workspace is "./NAME"; NAME alone is a program in PATH.
bool covers_program(const std::string& pattern, const std::string& name, const std::string& path) {
  if (names_variable(pattern)) return false;
  return matches(pattern, name) || (path != name && matches(pattern, "./" + path));
}

bool covers_path(std::string pattern, const Need& need, const std::string& path) {
  if (need.kind == EffectKind::files && pattern.ends_with(kReadOnly)) {
    if (need.changes) return false;
    pattern.resize(pattern.size() - kReadOnly.size());
  }
  if (pattern.starts_with("./")) pattern.erase(0, 2);
  if (path.starts_with('/') != pattern.starts_with('/')) return false;
  if (path == ".") return pattern == "." || pattern == "*";
  return matches(pattern, path, true) || (pattern.ends_with("/*") && matches(pattern, path + "/", true));
}

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

void add_all_but_hidden(const std::string& path, const std::string& home, const std::string& state,
                        std::vector<std::string>& paths) {
  if (!state.empty() && lies_in(path, state)) return;
  if ((home.empty() || !lies_in(home, path)) && (state.empty() || !lies_in(state, path))) return paths.push_back(path);
  for (const std::string& entry : matching(path == "/" ? "/*" : path + "/*"))
    if (real_path(entry) == entry) add_all_but_hidden(entry, home, state, paths);
}

}  // namespace

// The shortest text for each '*' is enough: one that it may not match begins with a '/' of the pattern.
bool matches(std::string_view pattern, std::string_view name, bool path) {
  if (pattern.size() > kLongest || name.size() > kLongest) return false;
  const auto hidden = [&](std::size_t at) { return path && begins_hidden(name, at); };
  std::size_t p = 0, star = pattern.npos, end = 0;  // the last '*', and where what it matches ends
  for (std::size_t n = 0; n < name.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      end = n;
    } else if (p < pattern.size() && pattern[p] == name[n] && (!hidden(n) || p == 0 || pattern[p - 1] == '/')) {
      ++p;
      ++n;
    } else if (star != pattern.npos && !hidden(end)) {
      p = star + 1;
      n = ++end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

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

bool names_secret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  if (upper == "PWD") return false;  // the working directory
  const auto words = split(upper, '_');
  return contains_any(upper, {"SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY", "SSHPASS"}) ||
         std::any_of(words.begin(), words.end(), [](std::string_view word) { return has_word(kSecretWords, word); });
}

bool makes_programs_load(std::string_view name) {
  if (name.ends_with('=')) name.remove_suffix(1);
  const auto is_of = [&](std::string_view family) { return name.starts_with(family); };
  return has_word(kLoaders, name) || std::ranges::any_of(kLoaderFamilies, is_of);
}

bool lies_in(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string path_for_patterns(const std::string& path, const std::string& workspace) {
  if (!path.starts_with('/') || !lies_in(path, workspace) || workspace == "/") return path;
  return path.size() == workspace.size() ? "." : path.substr(workspace.size() + 1);
}

void Patterns::add(EffectKind kind, const std::string& pattern) {
  if (pattern.empty()) throw Error(ErrorKind::usage, std::string("the pattern for ") + to_string(kind) + " is empty");
  if (std::any_of(pattern.begin(), pattern.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw Error(ErrorKind::usage, "the pattern '" + printable(pattern) + "' contains a control character");
  if (pattern.size() > kLongest) throw Error(ErrorKind::usage, "a pattern must not be longer than 4096 characters");
  if (!holds(kind, pattern)) of_[kind].push_back(pattern);
}

void Patterns::add(const Patterns& more) {
  for (const auto& [kind, patterns] : more.of_)
    for (const std::string& pattern : patterns) add(kind, pattern);
}

bool Patterns::holds(EffectKind kind, const std::string& pattern) const {
  const auto found = of_.find(kind);
  return found != of_.end() && std::find(found->second.begin(), found->second.end(), pattern) != found->second.end();
}

Patterns Patterns::without(const Patterns& others) const {
  Patterns rest;
  for (const auto& [kind, patterns] : of_)
    for (const std::string& pattern : patterns)
      if (!others.holds(kind, pattern)) rest.add(kind, pattern);
  return rest;
}

bool Patterns::cover(const Need& need, const std::string& workspace) const {
  const auto found = of_.find(need.kind);
  if (found == of_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const std::string& pattern) {
    return std::any_of(need.names.begin(), need.names.end(), [&](const std::string& name) {
      if (need.to_the_letter) return pattern == name;
      if (!name.starts_with('/')) return matches(pattern, name);
      const std::string path = path_for_patterns(name, workspace);
      return names_programs(need.kind) ? covers_program(pattern, name, path) : covers_path(pattern, need, path);
    });
  });
}

void Bounds::add(const Patterns& patterns, const std::string& home, const std::string& state) {
  constexpr std::string_view kAllInside = "/*";
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
