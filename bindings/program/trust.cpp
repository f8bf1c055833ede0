#include "bindings/program/trust.h"

#include <fmt/format.h>

#include <filesystem>

#include "bindings/program/ask.h"
#include "bindings/runtime/modules.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/spelling.h"
#include "engine/base/text.h"
#include "engine/guard/permissions.h"
#include "engine/guard/typed.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

Patterns patterns_from(const std::vector<std::string>& allow) {
  Patterns patterns;
  for (const std::string& word : allow) {
    const auto at = word.find('=');
    const std::string name = word.substr(0, at);
    const auto kind = effect_kind(name);
    if (!kind)
      throw Error(
          ErrorKind::usage,
          fmt::format("--allow {}: there is no kind '{}'{}", word, name, did_you_mean(name, effect_kind_names())),
          "KIND=PATTERN, where KIND is one of " + join(effect_kind_names(), ", "));
    if (at == std::string::npos)
      throw Error(ErrorKind::usage, fmt::format("--allow {}: no pattern", word),
                  fmt::format("--allow {}='*' permits all of them", word));
    patterns.add(*kind, word.substr(at + 1));
  }
  return patterns;
}

}  // namespace

std::unique_ptr<Policy> policy_for_script(const ScriptText& script, const PermissionOptions& options) {
  Patterns allowed = patterns_from(options.allow);
  if (options.trust) return allow_all();
  const KnownScripts known = known_scripts();
  const std::string path = script.file.empty() ? script.name : real_path(script.file);
  if (!script.file.empty() && !known.trusted_place(path).empty()) return allow_all();
  std::string identity(script.text);
  for (const std::string& word : script.reported) identity.append(1, '\0').append(word);
  // A shipped text is harmless as long as its user chooses what it runs.
  const bool shipped = is_shipped(script.text) && script.reported.empty();
  return std::make_unique<Permissions>(ForeignScript{script.name, path, sha256(identity), shipped}, real_path("."),
                                       std::move(allowed), known, ask_at_terminal);
}

std::unique_ptr<Policy> policy_for_typed(const PermissionOptions& options) {
  Patterns allowed = patterns_from(options.allow);
  if (options.trust) return allow_all();
  // An answer given there covers what is typed too, so it is none about `regengine FILE`.
  return std::make_unique<Typed>([allowed = std::move(allowed)](const std::string& file, std::string_view text) {
    return std::make_unique<Permissions>(
        ForeignScript{file, real_path(file), sha256(std::string(text) + '\0' + "loaded where its user types"), false},
        real_path("."), allowed, known_scripts(), ask_at_terminal);
  });
}

int run_trust(const std::vector<std::string>& words) {
  const bool forget = !words.empty() && words.front() == "--forget";
  const std::vector<std::string> paths(words.begin() + (forget ? 1 : 0), words.end());
  for (const std::string& path : paths)
    if (path.starts_with('-'))
      throw Error(ErrorKind::usage, "trust: no option '" + path + "'",
                  "regengine trust [--forget] [FILE or FOLDER ...]");
  if (forget && paths.empty()) throw Error(ErrorKind::usage, "trust --forget: which file or folder?");
  KnownScripts known(state_folder() + "/trusted");
  for (const std::string& path : paths) {
    if (!forget && !std::filesystem::exists(path)) throw Error(ErrorKind::not_found, "trust: there is no " + path);
    const std::string real = real_path(path);
    if (!forget)
      known.trust(real);
    else if (!known.forget(real))
      throw Error(ErrorKind::not_found, "trust: nothing is known of " + real, "regengine trust lists what is");
  }
  if (paths.empty())
    for (const std::string& place : known.trusted_places()) terminal::console().write_out(place + "\n");
  return 0;
}

}  // namespace reg
