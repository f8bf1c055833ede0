#include "engine/guard/policy.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/time.h"
#include "engine/guard/question.h"

namespace reg {

namespace fs = std::filesystem;

void Typed::join(const std::string& file, std::string_view, bool own) {
  if (own) return;
  const std::string name = one_line(file);
  throw Error(ErrorKind::permission, name + " is not trusted: it cannot be loaded into what you type",
              "If the file is your own, run regengine trust " + name +
                  ". Otherwise leave the prompt: regengine FILE runs it, or a script that requires it, in a sandbox.");
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
  audit_ = [path = std::move(path)](const Effect& effect, std::string_view verdict, std::string_view by) {
    nlohmann::ordered_json line = {
        {"time", format_time(now())}, {"verdict", verdict}, {"kind", to_string(effect.kind)}, {"what", effect.what}};
    if (!by.empty()) line["by"] = by;
    append_file(path, line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  };
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

}  // namespace reg
