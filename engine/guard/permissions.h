#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/guard/known.h"
#include "engine/guard/patterns.h"
#include "engine/guard/policy.h"

namespace reg {

/// A script whose author may not be its user.
struct ForeignScript {
  std::string name;      ///< as messages show it
  std::string path;      ///< canonical; a word such as "stdin" where it came from no file
  std::string sha256;    ///< of its text, and of all else that decides what it does
  bool shipped = false;  ///< it came with the engine, and is trusted as long as it loads nothing that did not
};

enum class Answer {
  no,
  yes,     ///< what is asked for; of what was declared: kept for this text
  always,  ///< everything this text does, kept
};

/// Put to a person, who reads `text` (lines, the question last).
struct Question {
  std::string text;
  bool declared;  ///< the whole of reg.needs, not one effect: there is no "always"
};

/// Nothing where nobody can be asked.
using Ask = std::function<std::optional<Answer>(const Question&)>;

/// The policy for a script from elsewhere: what is free for everybody, what --allow names, and what its user said yes
/// to, now or when this text of this path ran before. All else is asked for where somebody can be, and refused where
/// not. It knows nothing of terminals.
class Permissions : public Policy {
 public:
  /// `workspace`: canonical. `allowed`: --allow.
  Permissions(ForeignScript script, std::string workspace, Patterns allowed, KnownScripts known, Ask ask);

  std::string permit(const Effect& effect, bool may_ask) override;
  void declare(EffectKind kind, const std::string& pattern) override;
  void join(const std::string& file, std::string_view text, bool own) override;
  void grant(EffectKind kind, const std::string& path) override;

 private:
  Known earlier_answer() const;
  std::string settled(EffectKind kind, std::string pattern) const;
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
  Known answer_;           // what was said yes to
  bool answered_ = false;  // in this run, and not in an earlier one
  bool kept_now_ = false;  // an answer for this text was given in this run: what it loads from now on is part of it
  Patterns for_now_;       // said yes to, but not kept
  std::set<EffectKind> denied_;
  bool denied_declared_ = false;
  std::vector<std::string> modules_;
  std::string changed_;  // the module for which an earlier answer does not hold
  std::set<std::pair<EffectKind, std::string>> granted_;
  KnownScripts known_;
  Ask ask_;
};

}  // namespace reg
