#include "bindings/program/trust.h"

#include <fmt/format.h>

#include <filesystem>

#include "bindings/program/ask.h"
#include "bindings/runtime/modules.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/guard/permissions.h"
#include "engine/guard/typed.h"
#include "engine/process/sandbox.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

Patterns patterns_from(const std::vector<std::string>& allow) {
  Patterns patterns;
  for (const std::string& option : allow) {
    const auto at = option.find('=');
    const std::string name = option.substr(0, at);
    const auto kind = effect_kind(name);
    if (!kind)
      throw Error(ErrorKind::usage,
                  fmt::format("--allow {}: unknown kind '{}'{}", option, name, did_you_mean(name, effect_kind_names())),
                  "valid kinds: " + join(effect_kind_names(), ", "));
    if (at == std::string::npos)
      throw Error(ErrorKind::usage, fmt::format("--allow {}: the pattern is missing", option),
                  fmt::format("Pass --allow {}='*' to permit all of them.", option));
    patterns.add(*kind, option.substr(at + 1));
  }
  return patterns;
}

}  // namespace

std::unique_ptr<Permissions> permissions_for_script(const ScriptText& script, const PermissionOptions& options) {
  Patterns allowed = patterns_from(options.allow);
  if (options.trust) return nullptr;
  const TrustStore store = user_trust_store();
  const std::string path = script.file.empty() ? script.name : real_path(script.file);
  if (!script.file.empty() && !store.trusted_path(path).empty()) return nullptr;
  // A shipped script is harmless as long as the user chooses what it runs.
  const bool shipped = is_shipped(script.text) && !script.reported;
  return std::make_unique<Permissions>(ForeignScript{script.name, path, sha256(script.text), script.options, shipped},
                                       real_path("."), std::move(allowed), store, ask_at_terminal,
                                       process::sandbox_here());
}

std::unique_ptr<Policy> policy_for_typed(const PermissionOptions& options) {
  patterns_from(options.allow);  // an invalid one is an error here, too
  if (options.trust) return allow_all();
  return std::make_unique<Typed>();
}

int run_trust(const std::vector<std::string>& words) {
  const bool forget = !words.empty() && words.front() == "--forget";
  const std::vector<std::string> paths(words.begin() + (forget ? 1 : 0), words.end());
  for (const std::string& path : paths)
    if (path.starts_with('-'))
      throw Error(ErrorKind::usage, "trust: unknown option '" + path + "'",
                  "usage: regengine trust [--forget] [FILE or FOLDER ...]");
  if (forget && paths.empty()) throw Error(ErrorKind::usage, "trust --forget: needs a file or folder");
  TrustStore store(state_folder() + "/trusted");
  for (const std::string& path : paths) {
    if (!forget && !std::filesystem::exists(path))
      throw Error(ErrorKind::not_found, "trust: no such file or folder: " + path);
    const std::string real = real_path(path);
    if (!forget)
      store.trust(real);
    else if (!store.forget(real))
      throw Error(ErrorKind::not_found, "trust: not trusted: " + real, "Run regengine trust to list what is trusted.");
  }
  if (paths.empty())
    for (const std::string& path : store.trusted_paths()) terminal::console().write_out(path + "\n");
  return 0;
}

}  // namespace reg
