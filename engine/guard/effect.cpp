#include "engine/guard/effect.h"

#include <algorithm>
#include <array>
#include <cctype>

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

// Parts of a name, and words between its underscores.
constexpr std::array<std::string_view, 6> kSecretParts{"SECRET",     "PASSW",  "PASSPHRASE",
                                                       "CREDENTIAL", "APIKEY", "SSHPASS"};
constexpr std::string_view kSecretWords = "TOKEN KEY KEYS PASS PWD CRED CREDS PAT JWT";

}  // namespace

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
  return std::any_of(kSecretParts.begin(), kSecretParts.end(),
                     [&](std::string_view part) { return upper.find(part) != std::string::npos; }) ||
         std::any_of(words.begin(), words.end(), [](std::string_view word) { return has_word(kSecretWords, word); });
}

bool makes_programs_load(std::string_view name) {
  if (name.ends_with('=')) name.remove_suffix(1);
  return has_word(kLoaders, name) || std::any_of(kLoaderFamilies.begin(), kLoaderFamilies.end(),
                                                 [&](std::string_view family) { return name.starts_with(family); });
}

}  // namespace reg
