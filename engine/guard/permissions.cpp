#include "engine/guard/permissions.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/base/time.h"

namespace reg {

Permissions::Permissions(ForeignScript script, std::string workspace, Patterns allowed, TrustStore store, Ask ask,
                         SandboxSupport sandbox)
    : script_(std::move(script)),
      workspace_(std::move(workspace)),
      allowed_(std::move(allowed)),
      store_(std::move(store)),
      ask_(std::move(ask)),
      sandbox_(std::move(sandbox)) {
  decision_ = earlier_decision();
  if (!store_.folder().empty()) state_ = real_path(store_.folder());
}

Decision Permissions::earlier_decision() const {
  const Decision none{script_.path, script_.sha256, workspace_, script_.options, {}, {}, false};
  return store_.find(none).value_or(none);
}

void Permissions::declare(EffectKind kind, const std::string& pattern) {
  declared_.add(kind, normalize(kind, pattern));
}

// Rewrites a pattern in the form of the names that it is matched with: "../xla" or a symbolic link would match nothing,
// and the user would not see where it leads. {date} and {sha} stand for what reg.container.images inserts.
std::string Permissions::normalize(EffectKind kind, std::string pattern) const {
  if (kind == EffectKind::container) {
    for (auto at = pattern.find('{'); at != std::string::npos; at = pattern.find('{', at + 1))
      if (const auto end = pattern.find('}', at); end != std::string::npos) pattern.replace(at, end + 1 - at, "*");
    return pattern;
  }
  if (kind != EffectKind::files && kind != EffectKind::git) return pattern;
  if (kind == EffectKind::git && !pattern.starts_with('/') && !pattern.starts_with('.') &&
      pattern.find(':') != std::string::npos)
    return pattern;  // a URL
  // The part before the first wildcard. Only without one can ":ro" belong to it.
  const auto star = pattern.find('*');
  const auto end = star == std::string::npos ? pattern.size() : pattern.rfind('/', star);
  if (end == std::string::npos) return pattern;
  const bool read_only = star == std::string::npos && kind == EffectKind::files && pattern.ends_with(kReadOnly);
  const std::string plain = pattern.substr(0, read_only ? end - kReadOnly.size() : end);
  const std::string rest = pattern.substr(plain.size());
  const std::string real = real_path((std::filesystem::path(workspace_) / (plain.empty() ? "/" : plain)).string());
  const std::string named = path_for_patterns(real, workspace_);
  if (star == std::string::npos) return named + rest;
  return named == "." ? rest.substr(1) : (named == "/" ? "" : named) + rest;
}

void Permissions::grant(EffectKind kind, const std::string& name, bool to_write) {
  bool& writing = granted_[{kind, kind == EffectKind::container ? name : real_path(name)}];
  writing = writing || to_write;
}

// Modules are part of what the user decided about: with a new or changed one an earlier decision does not hold, and
// once it is in use none can be added.
void Permissions::join(const std::string& file, std::string_view text, bool own) {
  if (own) return;
  if (script_.shipped && found_) found_(file, text);
  if (std::exchange(script_.shipped, false)) {  // the shipped script itself needs no permission
    script_.name = file;
    script_.path = real_path(file);
    if (!told_) decision_ = earlier_decision();
  }
  const std::string module = file + " " + sha256(text);
  if (std::ranges::count(modules_, module) > 0) return;
  modules_.push_back(module);
  module_files_.push_back(file);
  if (std::ranges::count(decision_.modules, module) > 0) return;
  if (in_use_) late_ = file;
  decision_.permits = {};
  decision_.everything = decision_.unboxed = false;
}

std::string Permissions::permit(const Effect& effect, bool may_ask) {
  if (script_.shipped) return "shipped";
  std::string by = "free";
  for (const Need& need : effect.needs)
    if (std::string one = permit_one(effect, as_run(need), may_ask); one != "free") by = std::move(one);
  return by;
}

// ".ssh" and ".git" hold what other programs obey: they must be named. ".regengine" is the engine's.
bool Permissions::is_hidden(const std::string& path) const {
  const std::string inside = path_for_patterns(path, workspace_);
  const auto names = split(inside, '/');
  return std::any_of(names.begin(), names.end(), [](std::string_view name) {
    return name.starts_with('.') && name != "." && name != ".regengine";
  });
}

bool Permissions::is_free(const Need& need) const {
  if (need.only_user) return granted_.contains({need.kind, need.names.front()});
  return std::any_of(need.names.begin(), need.names.end(), [&](const std::string& name) {
    if (!name.starts_with('/')) return false;
    if (need.free_inside && lies_in(name, workspace_) && !(need.kind == EffectKind::files && is_hidden(name)))
      return true;
    return std::any_of(granted_.begin(), granted_.end(), [&](const auto& made) {
      const auto& [kind, granted] = made.first;
      if (kind != need.kind) return false;
      if (kind != EffectKind::files) return name == granted;
      return lies_in(name, granted) && (made.second || !need.changes);
    });
  });
}

bool Permissions::covered_by(const Patterns& patterns, const Need& need) const {
  if (patterns.cover(need, workspace_)) return true;
  // Who may run any command may set variables for it; those that make programs load others are to be named.
  const std::string& name = need.names.front();
  return need.kind == EffectKind::process && name.ends_with('=') && !makes_programs_load(name) &&
         permit_any_command(patterns);
}

// A program that may or should run outside the sandbox runs there or not at all.
Need Permissions::as_run(Need need) const {
  if (need.kind != EffectKind::process || names_variable(need.names.front())) return need;
  Need outside = need;
  outside.kind = EffectKind::unboxed;
  Patterns all = permitted();
  all.add(declared_);
  return all.cover(outside, workspace_) ? outside : need;
}

std::optional<Bounds> Permissions::bounds(const Effect& effect) const {
  const auto in_sandbox = [&](const Need& need) {
    return as_run(need).kind == EffectKind::process && !names_variable(need.names.front());
  };
  if (script_.shipped || decision_.everything || !sandbox_.why_not.empty() ||
      std::none_of(effect.needs.begin(), effect.needs.end(), in_sandbox))
    return std::nullopt;
  Bounds bounds{workspace_, {}, {workspace_}};
  for (const Patterns& patterns : {allowed_, decision_.permits}) bounds.add(patterns, sandbox_.home, state_);
  const auto add = [&](const std::string& name, bool to_write) {
    if (!name.starts_with('/')) return;
    const std::string path = real_path(name);
    if (!lies_in(path, workspace_)) (to_write ? bounds.write : bounds.read).push_back(path);
  };
  for (const auto& [granted, to_write] : granted_) add(granted.second, to_write && granted.first == EffectKind::files);
  for (const Need& need : effect.needs)
    if (!names_variable(need.names.front())) add(need.names.back(), need.kind == EffectKind::files && need.changes);
  return bounds;
}

std::string Permissions::permit_one(const Effect& effect, const Need& need, bool may_ask) {
  if (is_free(need)) return "free";
  if (need.kind == EffectKind::files && !state_.empty() && lies_in(need.names.front(), state_))
    refuse(effect, need, ": what you trust is kept there", "No script may read or change it; regengine trust does.");
  if (covered_by(allowed_, need)) return "--allow";
  if (need.only_user) refuse(effect, need, "", how_to_permit(need));
  if (!late_.empty())
    refuse(effect, need, ": it loaded " + one_line(late_) + " after you had permitted what it consisted of before",
           "Load it at the script's head.");
  if (!decision_.everything && !covered_by(decision_.permits, need)) {
    if (!covered_by(declared_, need))
      refuse(effect, need, "",
             "Add " + as_declared(need, workspace_) + " to the script's head. " + how_to_permit(need));
    if (in_use_ && !denied_)
      refuse(effect, need, ": it was declared after you had been asked", "Declare everything at the script's head.");
    const Patterns open = declared_.without(allowed_);
    if (!denied_ && (!may_ask || !take_answer(open)))
      refuse(effect, need, "",
             "Pass " + as_options(open) +
                 " before the script name to permit what it declares, or --trust if the script is your own.");
    if (denied_) refuse(effect, need, ": you answered no", "");
  }
  in_use_ = true;
  return "an answer";
}

std::optional<Answer> Permissions::take_answer(const Patterns& open) {
  const auto answer = ask_(question_about(script_, module_files_, open, workspace_, sandbox_, store_.trusted_paths()));
  denied_ = answer == Answer::no;
  if (answer != Answer::yes) return answer;
  decision_.permits = open;
  decision_.modules = modules_;
  store_.save(decision_);
  return answer;
}

void Permissions::ask_ahead() {
  const Patterns open = declared_.without(allowed_);
  if (decision_.everything || open.without(decision_.permits).empty() || take_answer(open) != Answer::no) return;
  throw Error(ErrorKind::permission, one_line(script_.name) + " was not run: you answered no");
}

void Permissions::ask_to_run_unboxed() {
  if (decision_.everything || decision_.unboxed) return;
  const std::string name = one_line(in_ascii(script_.name));
  const auto answer = ask_({name + " is not trusted. This kernel has no Landlock: if the script breaks out of " +
                                "regengine, nothing holds it to the folder " + one_line(workspace_) + ".",
                            {},
                            "",
                            "Run it all the same?"});
  if (!answer)
    throw Error(ErrorKind::permission,
                name + " was not run: it is not trusted, and this kernel has no Landlock to hold it to its folder",
                "Run it at a terminal, where you can decide, or pass --trust if the script is your own.");
  if (answer == Answer::no) throw Error(ErrorKind::permission, name + " was not run: you answered no");
  decision_.unboxed = true;
  store_.save(decision_);
}

void Permissions::decide(Decision decision) {
  decision_ = std::move(decision);
  told_ = true;
}

Patterns Permissions::permitted() const {
  Patterns all = allowed_;
  all.add(decision_.permits);
  return all;
}

std::string Permissions::how_to_permit(const Need& need) const {
  return "Pass " + shell_words({"--allow", one_line(as_allowed(need, workspace_))}) +
         " before the script name to permit it, or --trust if the script is your own.";
}

void Permissions::refuse(const Effect& effect, const Need& need, const std::string& why,
                         const std::string& hint) const {
  throw Error(ErrorKind::permission,
              "not permitted: " + one_line(as_allowed(need, workspace_)) + " (" + one_line(effect.what) + ")" + why,
              hint);
}

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
  if (effect.changes && (names_programs(effect.kind) || effect.kind == EffectKind::container)) ++commands_;
  return true;
}

void Guard::audit_to(std::string path) {
  const bool found = std::filesystem::exists(std::filesystem::symlink_status(path));
  append_file(path, "");                      // what cannot be written is said before anything runs
  if (!found) std::filesystem::remove(path);  // made with the first line: a run that is refused leaves no empty log
  audit_ = [path = std::move(path)](const Effect& effect, std::string_view verdict, std::string_view by) {
    nlohmann::ordered_json line = {
        {"time", format_time(now())}, {"verdict", verdict}, {"kind", to_string(effect.kind)}, {"what", effect.what}};
    if (!by.empty()) line["by"] = by;
    append_file(path, line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  };
}

}  // namespace reg
