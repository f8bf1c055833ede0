#include "engine/guard/permissions.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/guard/words.h"

namespace reg {

Permissions::Permissions(ForeignScript script, std::string workspace, Patterns allowed, KnownScripts known, Ask ask)
    : script_(std::move(script)),
      workspace_(std::move(workspace)),
      allowed_(std::move(allowed)),
      known_(std::move(known)),
      ask_(std::move(ask)) {
  answer_ = earlier_answer();
}

Known Permissions::earlier_answer() const {
  return known_.find(script_.path, script_.sha256).value_or(Known{script_.path, script_.sha256, {}, {}, false});
}

void Permissions::declare(EffectKind kind, const std::string& pattern) { declared_.add(kind, settled(kind, pattern)); }

// A pattern as the names that it is held against are written: "../xla" and a link would match nothing, and nobody would
// see where they lead. {date} is what nights() puts in its place.
std::string Permissions::settled(EffectKind kind, std::string pattern) const {
  constexpr std::string_view date = "{date}";
  if (kind == EffectKind::container)
    if (const auto at = pattern.find(date); at != std::string::npos) return pattern.replace(at, date.size(), "*");
  if (kind != EffectKind::files && kind != EffectKind::git) return pattern;
  std::error_code ignored;
  const std::filesystem::path path = std::filesystem::path(workspace_) / pattern;
  if (std::filesystem::exists(path, ignored)) return path_for_patterns(real_path(path.string()), workspace_);
  return pattern.starts_with("../") ? path.lexically_normal().string() : pattern;
}

void Permissions::grant(EffectKind kind, const std::string& path) { granted_.emplace(kind, real_path(path)); }

// A module is part of the text that was answered for: a new one and a changed one are a new text. Only in the run in
// which the answer is given is what it loads later taken along.
void Permissions::join(const std::string& file, std::string_view text, bool own) {
  if (own) return;
  if (std::exchange(script_.shipped, false)) {  // of what came with the engine there is nothing to ask
    script_.name = file;
    script_.path = real_path(file);
    answer_ = earlier_answer();
  }
  const std::string hash = sha256(text);
  if (std::find(modules_.begin(), modules_.end(), hash) == modules_.end()) modules_.push_back(hash);
  if (std::find(answer_.modules.begin(), answer_.modules.end(), hash) != answer_.modules.end()) return;
  if (kept_now_) return keep();
  if (!answer_.everything && answer_.permits.empty()) return;
  answer_ = Known{script_.path, script_.sha256, {}, {}, false};
  changed_ = file;
}

std::string Permissions::permit(const Effect& effect, bool may_ask) {
  if (script_.shipped) return "shipped";
  std::string by = "free";
  for (const Need& need : effect.needs)
    if (std::string one = permit_one(effect, need, may_ask); one != "free") by = std::move(one);
  return by;
}

bool Permissions::is_free(const Need& need) const {
  return std::any_of(need.names.begin(), need.names.end(), [&](const std::string& name) {
    if (!name.starts_with('/')) return false;
    if (need.free_inside && lies_in(name, workspace_)) return true;
    return std::any_of(granted_.begin(), granted_.end(), [&](const auto& made) {
      if (made.first != need.kind) return false;
      return need.kind == EffectKind::files ? lies_in(name, made.second) : name == made.second;
    });
  });
}

std::string Permissions::permit_one(const Effect& effect, const Need& need, bool may_ask) {
  if (is_free(need)) return "free";
  if (allowed_.cover(need, workspace_)) return "--allow";
  if (!answer_.everything && !answer_.permits.cover(need, workspace_) && !for_now_.cover(need, workspace_)) {
    if (declared_.cover(need, workspace_))
      ask_for_declared(effect, need, may_ask);
    else
      ask_for_undeclared(effect, need, may_ask);
  }
  return answered_ ? "an answer" : "an earlier answer";
}

Patterns Permissions::unanswered() const {
  Patterns open;
  for (const auto& [kind, patterns] : declared_.all())
    for (const std::string& pattern : patterns)
      if (!allowed_.holds(kind, pattern) && !answer_.permits.holds(kind, pattern)) open.add(kind, pattern);
  return open;
}

void Permissions::ask_for_declared(const Effect& effect, const Need& need, bool may_ask) {
  if (denied_declared_) refuse(effect, need, true);
  const Patterns open = unanswered();
  std::string text = one_line(script_.name) + " is not trusted yet, and wants to\n";
  if (!changed_.empty())
    text = one_line(script_.name) + " loads " + one_line(changed_) + ", which was not part of it. It wants to\n";
  for (const auto& [kind, patterns] : open.all())
    for (const std::string& pattern : patterns) text += "  - " + in_words(kind, pattern) + "\n";
  text += "below " + one_line(workspace_) + ". May it?";
  const auto answer = may_ask ? ask_({text, true}) : std::nullopt;
  if (!answer) refuse(effect, need, false);
  answered_ = true;
  denied_declared_ = *answer == Answer::no;
  if (denied_declared_) refuse(effect, need, true);
  answer_.permits.add(open);
  keep();
}

void Permissions::ask_for_undeclared(const Effect& effect, const Need& need, bool may_ask) {
  if (denied_.count(need.kind) != 0) refuse(effect, need, true);
  const bool of_its_user = declared_.empty() && script_.path.starts_with('/');
  const std::string text = one_line(script_.name) +
                           (declared_.empty() ? " is not trusted yet, and does not say what it reaches.\n"
                                              : " goes beyond what it said it would reach.\n") +
                           "It wants to " + in_words(need, workspace_) + ":\n  " + one_line(effect.what) +
                           (of_its_user ? "\n(For a script of your own, once: regengine trust FILE.)" : "") +
                           "\nMay it?";
  const auto answer = may_ask ? ask_({text, false}) : std::nullopt;
  if (!answer) refuse(effect, need, false);
  answered_ = true;
  if (*answer == Answer::no) {
    denied_.insert(need.kind);
    refuse(effect, need, true);
  }
  if (*answer == Answer::always) {
    answer_.everything = true;
    keep();
  }
  if (!need.to_the_letter) for_now_.add(need.kind, "*");
  for (const std::string& name : need.names) for_now_.add(need.kind, path_for_patterns(name, workspace_));
}

void Permissions::refuse(const Effect& effect, const Need& need, bool asked) const {
  const std::string option = shell_words({"--allow", as_allowed(need, workspace_)});
  const bool declared = declared_.cover(need, workspace_);
  const std::string what =
      std::string("not permitted: ") + as_allowed(need, workspace_) + " (" + one_line(effect.what) + ")";
  if (asked) throw Error(ErrorKind::permission, what + ": you said no");
  throw Error(ErrorKind::permission, what,
              (declared ? as_options(unanswered()) + " permits what it declares" : option + " permits it") +
                  "; --trust permits everything, for a script of your own; before the script's name");
}

void Permissions::keep() {
  answer_.modules = modules_;
  kept_now_ = true;
  try {
    known_.keep(answer_);
  } catch (const Error&) {
    return;  // no place to keep it, or none that can be written: the question comes again
  }
}

}  // namespace reg
