#include "engine/guard/policy.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/guard/question.h"

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

namespace fs = std::filesystem;

namespace {

class AllowAll : public Policy {
 public:
  std::string permit(const Effect&, bool) override { return "its user"; }
};

}  // namespace

std::unique_ptr<Policy> allow_all() { return std::make_unique<AllowAll>(); }

void Typed::join(const std::string& file, std::string_view, bool own) {
  if (own) return;
  const std::string name = one_line(file);
  throw Error(ErrorKind::permission, name + " is not trusted: it cannot be loaded into what you type",
              "If the file is your own, run regengine trust " + name +
                  ". Otherwise require it in a script, which runs in a sandbox: regengine FILE, or .load FILE.");
}

bool Guard::admit(const Effect& effect) {
  if (rehearsing_) {
    if (!effect.changes) policy_->permit(effect, false);
    rehearsed_.push_back(effect);
    if (policy_->bounds(effect))
      rehearsed_.back().identity = (effect.identity.empty() ? effect.what : effect.identity) + "\nin the sandbox";
    return !effect.changes;
  }
  if (dry_ && effect.changes) {
    audit(effect, "recorded", "");
    recorded_.push_back(effect);
    return false;
  }
  std::string by;
  try {
    by = policy_->permit(effect, !dry_);
  } catch (const Error&) {
    audit(effect, "refused", "");
    throw;
  }
  audit(effect, "run", by);
  const bool runs = effect.kind == EffectKind::process || effect.kind == EffectKind::unboxed;
  if (effect.changes && (runs || effect.kind == EffectKind::container)) ++commands_;
  return true;
}

void Guard::audit_to(std::string path) {
  const bool found = fs::symlink_status(path).type() != fs::file_type::not_found;
  append_file(path, "");         // what cannot be written is said before anything runs
  if (!found) fs::remove(path);  // made with the first line: a run that is refused leaves no empty log
  audit_path_ = std::move(path);
}

bool Guard::holds_back() const {
  return std::any_of(rehearsed_.begin(), rehearsed_.end(), [](const Effect& effect) { return effect.changes; });
}

void Guard::note(std::string identity) {
  rehearsed_.push_back({EffectKind::files, "", {}, false, std::move(identity)});
}

std::vector<Effect> Guard::end_rehearsal() {
  rehearsing_ = false;
  return std::exchange(rehearsed_, {});
}

void Guard::audit(const Effect& effect, std::string_view verdict, std::string_view by) {
  if (audit_) audit_(effect, verdict, by);
  if (audit_path_.empty()) return;
  nlohmann::ordered_json line = {
      {"time", format_time(now())}, {"verdict", verdict}, {"kind", to_string(effect.kind)}, {"what", effect.what}};
  if (!by.empty()) line["by"] = by;
  append_file(audit_path_, line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
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
