#include "engine/guard/permissions.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/guard/describe.h"

namespace reg {

Permissions::Permissions(ForeignScript script, std::string workspace, Patterns allowed, TrustStore store, Ask ask)
    : script_(std::move(script)),
      workspace_(std::move(workspace)),
      allowed_(std::move(allowed)),
      store_(std::move(store)),
      ask_(std::move(ask)) {
  decision_ = earlier_decision();
}

Decision Permissions::earlier_decision() const {
  return store_.find(script_.path, script_.sha256).value_or(Decision{script_.path, script_.sha256, {}, {}, false});
}

void Permissions::declare(EffectKind kind, const std::string& pattern) {
  declared_.add(kind, normalize(kind, pattern));
}

// Rewrites a pattern in the form of the names that it is matched with: "../xla" or a symbolic link would match nothing,
// and the user would not see where it leads. {date} stands for what nights() inserts.
std::string Permissions::normalize(EffectKind kind, std::string pattern) const {
  constexpr std::string_view date = "{date}";
  if (kind == EffectKind::container)
    if (const auto at = pattern.find(date); at != std::string::npos) return pattern.replace(at, date.size(), "*");
  if (kind != EffectKind::files && kind != EffectKind::git) return pattern;
  std::error_code ignored;
  const std::filesystem::path path = std::filesystem::path(workspace_) / pattern;
  if (std::filesystem::exists(path, ignored)) return path_for_patterns(real_path(path.string()), workspace_);
  return pattern.starts_with("../") ? path.lexically_normal().string() : pattern;
}

void Permissions::grant(EffectKind kind, const std::string& name, bool to_write) {
  bool& writing = granted_[{kind, kind == EffectKind::container ? name : real_path(name)}];
  writing = writing || to_write;
}

// Modules are part of the version that the user decided about: a new or changed module makes a new version. Only in the
// run in which the decision is made does it include modules that are loaded later.
void Permissions::join(const std::string& file, std::string_view text, bool own) {
  if (own) return;
  if (std::exchange(script_.shipped, false)) {  // the shipped script itself needs no permission
    script_.name = file;
    script_.path = real_path(file);
    decision_ = earlier_decision();
  }
  const std::string hash = sha256(text);
  if (std::find(modules_.begin(), modules_.end(), hash) == modules_.end()) modules_.push_back(hash);
  if (std::find(decision_.modules.begin(), decision_.modules.end(), hash) != decision_.modules.end()) return;
  if (decided_now_) return keep();
  if (!decision_.everything && decision_.permits.empty()) return;
  decision_ = Decision{script_.path, script_.sha256, {}, {}, false};
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
  if (need.only_user) return granted_.contains({need.kind, need.names.front()});
  return std::any_of(need.names.begin(), need.names.end(), [&](const std::string& name) {
    if (!name.starts_with('/')) return false;
    if (need.free_inside && lies_in(name, workspace_)) return true;
    return std::any_of(granted_.begin(), granted_.end(), [&](const auto& made) {
      const auto& [kind, granted] = made.first;
      if (kind != need.kind) return false;
      if (kind != EffectKind::files) return name == granted;
      return lies_in(name, granted) && (made.second || !need.changes);
    });
  });
}

std::string Permissions::permit_one(const Effect& effect, const Need& need, bool may_ask) {
  if (is_free(need)) return "free";
  if (allowed_.cover(need, workspace_)) return "--allow";
  if (need.only_user) refuse(effect, need, false);
  if (!decision_.everything && !decision_.permits.cover(need, workspace_) && !for_now_.cover(need, workspace_)) {
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
      if (!allowed_.holds(kind, pattern) && !decision_.permits.holds(kind, pattern)) open.add(kind, pattern);
  return open;
}

void Permissions::ask_for_declared(const Effect& effect, const Need& need, bool may_ask) {
  if (denied_declared_) refuse(effect, need, true);
  const Patterns open = unanswered();
  std::string text = one_line(script_.name) + " is not trusted yet. It asks for permission to:\n";
  if (!changed_.empty())
    text = one_line(script_.name) + " now loads " + one_line(changed_) +
           ", which was not part of it when you allowed it. It asks for permission to:\n";
  for (const auto& [kind, patterns] : open.all())
    for (const std::string& pattern : patterns) text += "  - " + describe(kind, pattern) + "\n";
  text += "in the folder " + one_line(workspace_) + "\nAllow?";
  const auto answer = may_ask ? ask_({text, true}) : std::nullopt;
  if (!answer) refuse(effect, need, false);
  answered_ = true;
  denied_declared_ = *answer == Answer::no;
  if (denied_declared_) refuse(effect, need, true);
  decision_.permits.add(open);
  keep();
}

void Permissions::ask_for_undeclared(const Effect& effect, const Need& need, bool may_ask) {
  if (denied_.count(need.kind) != 0) refuse(effect, need, true);
  const bool of_its_user = declared_.empty() && script_.path.starts_with('/');
  const std::string text = one_line(script_.name) +
                           (declared_.empty() ? " is not trusted yet and does not declare what it needs.\n"
                                              : " needs more than it declared.\n") +
                           "It asks for permission to " + describe(need, workspace_) + ":\n  " + one_line(effect.what) +
                           (of_its_user ? "\n(To trust a script of your own: regengine trust FILE)" : "") + "\nAllow?";
  const auto answer = may_ask ? ask_({text, false}) : std::nullopt;
  if (!answer) refuse(effect, need, false);
  answered_ = true;
  if (*answer == Answer::no) {
    denied_.insert(need.kind);
    refuse(effect, need, true);
  }
  if (*answer == Answer::always) {
    decision_.everything = true;
    keep();
  }
  if (!need.to_the_letter) for_now_.add(need.kind, "*");
  for (const std::string& name : need.names) for_now_.add(need.kind, path_for_patterns(name, workspace_));
}

void Permissions::refuse(const Effect& effect, const Need& need, bool asked) const {
  const bool declared = declared_.cover(need, workspace_);
  const std::string what =
      std::string("not permitted: ") + as_allowed(need, workspace_) + " (" + one_line(effect.what) + ")";
  if (asked) throw Error(ErrorKind::permission, what + ": you answered no");
  const std::string options =
      declared ? as_options(unanswered()) : shell_words({"--allow", as_allowed(need, workspace_)});
  throw Error(ErrorKind::permission, what,
              "Pass " + options + " before the script name to permit " + (declared ? "what it declares" : "it") +
                  ", or --trust if the script is your own.");
}

void Permissions::keep() {
  decision_.modules = modules_;
  decided_now_ = true;
  try {
    store_.save(decision_);
  } catch (const Error&) {
    return;  // the store cannot be written: the user is asked again next time
  }
}

}  // namespace reg
