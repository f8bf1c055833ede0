#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/guard/patterns.h"
#include "engine/guard/policy.h"
#include "engine/guard/trust_store.h"

namespace reg {

/// A script that may come from somebody else.
struct ForeignScript {
  std::string name;      ///< as messages show it
  std::string path;      ///< canonical; "stdin" or the like for a script without a file
  std::string sha256;    ///< of its text and of everything else that decides what it does
  bool shipped = false;  ///< shipped with the engine: trusted as long as everything it loads is, too
};

enum class Answer {
  no,
  yes,     ///< allow what is asked for; for declared needs: saved for this version of the script
  always,  ///< allow everything this version of the script does, saved
};

/// A question for the user: `text` has several lines, the question last.
struct Question {
  std::string text;
  bool declared;  ///< about all of reg.needs, not one effect: there is no "always"
};

/// Returns std::nullopt if nobody can be asked.
using Ask = std::function<std::optional<Answer>(const Question&)>;

/// The policy for an untrusted script. It permits what is free, what --allow names, and what the user allowed, now or
/// in an earlier run of the same version of the script. Everything else is asked for, or refused if nobody can be
/// asked. It knows nothing of terminals.
class Permissions : public Policy {
 public:
  /// `workspace`: canonical. `allowed`: --allow.
  Permissions(ForeignScript script, std::string workspace, Patterns allowed, TrustStore store, Ask ask);

  std::string permit(const Effect& effect, bool may_ask) override;
  void declare(EffectKind kind, const std::string& pattern) override;
  void join(const std::string& file, std::string_view text, bool own) override;
  void grant(EffectKind kind, const std::string& name, bool to_write) override;
  std::string untrusted_script() const override { return script_.shipped ? "" : script_.sha256; }

 private:
  Decision earlier_decision() const;
  std::string normalize(EffectKind kind, std::string pattern) const;
  std::string permit_one(const Effect& effect, const Need& need, bool may_ask);
  bool is_free(const Need& need) const;
  void ask_for_declared(const Effect& effect, const Need& need, bool may_ask);
  void ask_for_undeclared(const Effect& effect, const Need& need, bool may_ask);
  Patterns unanswered() const;
  [[noreturn]] void refuse(const Effect& effect, const Need& need, bool asked) const;
  void keep();

  ForeignScript script_;
  std::string workspace_;
  Patterns allowed_;
  Patterns declared_;
  Decision decision_;
  bool answered_ = false;     // in this run, not in an earlier one
  bool decided_now_ = false;  // the decision was made in this run, so it covers modules that are loaded later
  Patterns for_now_;          // allowed for this run only
  std::set<EffectKind> denied_;
  bool denied_declared_ = false;
  std::vector<std::string> modules_;
  std::string changed_;  // the module that made an earlier decision invalid
  std::map<std::pair<EffectKind, std::string>, bool> granted_;  // whether to write, too
  TrustStore store_;
  Ask ask_;
};

}  // namespace reg
