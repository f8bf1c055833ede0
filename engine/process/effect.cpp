#include "engine/process/effect.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "engine/base/text.h"

namespace reg::process {
namespace {

namespace fs = std::filesystem;

// There is no full list of these: it holds what the dynamic linker, shells, interpreters, git, make and CUDA obey.
constexpr std::array<std::string_view, 27> kLoaders{"PATH",
                                                    "HOME",
                                                    "ENV",
                                                    "BASH_ENV",
                                                    "SHELL",
                                                    "SHELLOPTS",
                                                    "IFS",
                                                    "GCONV_PATH",
                                                    "NODE_OPTIONS",
                                                    "RUBYOPT",
                                                    "RUBYLIB",
                                                    "JAVA_TOOL_OPTIONS",
                                                    "MAKEFLAGS",
                                                    "MAKEFILES",
                                                    "GNUMAKEFLAGS",
                                                    "EDITOR",
                                                    "VISUAL",
                                                    "PAGER",
                                                    "DOCKER_HOST",
                                                    "CONTAINER_HOST",
                                                    "DOCKER_CONFIG",
                                                    "XDG_CONFIG_HOME",
                                                    "CUDA_INJECTION64_PATH",
                                                    "NVTX_INJECTION64_PATH",
                                                    "NVTX_INJECTION32_PATH",
                                                    "CUDA_INJECTION32_PATH",
                                                    "LESSOPEN"};
constexpr std::array<std::string_view, 5> kLoaderFamilies{"LD_", "GIT_", "PYTHON", "PERL5", "BASH_FUNC_"};

bool makes_programs_load(std::string_view name) {
  return std::find(kLoaders.begin(), kLoaders.end(), name) != kLoaders.end() ||
         std::any_of(kLoaderFamilies.begin(), kLoaderFamilies.end(),
                     [&](std::string_view family) { return name.starts_with(family); });
}

// Where the folders of `path` that are absolute hold it; "" for nowhere. "." in somebody's PATH is no reason to take
// the workspace's "make" for the machine's.
std::string find_in(const std::string& path, const std::string& name) {
  for (const auto folder : split(path, ':')) {
    if (!folder.starts_with('/')) continue;
    std::string candidate = std::string(folder) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return {};
}

std::string own_path() {
  const char* inherited = std::getenv("PATH");
  return inherited != nullptr ? inherited : "/usr/bin:/bin";
}

// Where a name without a slash leads, with what the command's own PATH or a relative folder in it does.
std::string leads_to(const Command& command) {
  const auto own = command.env.find("PATH");
  const std::string path = own != command.env.end() ? own->second : own_path();
  for (const auto folder : split(path, ':')) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / command.argv.front();
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate))
      return fs::absolute(candidate).lexically_normal();
  }
  return {};
}

std::vector<std::string> names_of_program(const Command& command) {
  const std::string& word = command.argv.front();
  const bool bare = word.find('/') == std::string::npos;
  std::string path = leads_to(command);
  if (!bare) {
    const fs::path folder = command.cwd.empty() ? fs::current_path() : fs::absolute(command.cwd);
    path = (folder / word).lexically_normal().string();
  }
  if (path.empty()) return {word};  // there is none, and spawn will say so
  const std::string name = fs::path(path).filename().string();
  const std::string known = find_in(own_path(), name);
  std::error_code ignored;
  if (!known.empty() && (known == path || fs::equivalent(known, path, ignored))) return {name, path};
  return {path};
}

Need need_of_variable(const std::string& name, const std::string& value) {
  Need need{EffectKind::process, {name + "="}};
  if (name.ends_with("_INJECTION64_PATH")) need.names.push_back(value);  // it may be the engine's own library
  return need;
}

}  // namespace

Effect effect_of(const Command& command) {
  Effect effect{EffectKind::process, shell_words(command.argv), {}};
  if (!command.argv.empty() && !command.argv.front().empty())
    effect.needs.push_back({EffectKind::process, names_of_program(command)});
  for (const auto& [name, value] : command.env)
    if (makes_programs_load(name)) effect.needs.push_back(need_of_variable(name, value));
  for (const std::string& file : {command.out_file, command.err_file})
    if (!file.empty()) effect.needs.push_back(writes(file));
  return effect;
}

}  // namespace reg::process
