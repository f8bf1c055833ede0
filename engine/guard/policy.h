#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/guard/effect.h"

namespace reg {

/// Who may do what. The script's own side of it - what it declares, what it loads - comes in here too, so that a script
/// that is trusted and one that is not are the same to all others.
class Policy {
 public:
  virtual ~Policy() = default;

  /// Says by what the effect is permitted, for the audit; throws Error(permission) to refuse it.
  /// `may_ask`: whether a person may be asked.
  virtual std::string permit(const Effect& effect, bool may_ask) = 0;

  /// reg.needs: the script says that it will reach what this pattern names.
  virtual void declare(EffectKind, const std::string& /*pattern*/) {}

  /// require: this text is now part of the script. `own`: it came with the engine, or its user trusts the place it was
  /// read from.
  virtual void join(const std::string& /*file*/, std::string_view /*text*/, bool /*own*/) {}

  /// The engine made this for the script, so its use needs nothing. files: a folder and what is in it; process: a
  /// library that commands load.
  virtual void grant(EffectKind, const std::string& /*path*/) {}
};

/// Everything goes: its user wrote it.
std::unique_ptr<Policy> allow_all();

/// The one door to the outside. Every primitive passes each effect through admit() before it acts, so permissions, the
/// dry run and the audit log live here and nowhere else.
class Guard {
 public:
  explicit Guard(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  /// True: do it. False: a dry run, it was only recorded. Throws when refused.
  bool admit(const Effect& effect);

  Policy& policy() { return *policy_; }
  void set_policy(std::unique_ptr<Policy> policy) { policy_ = std::move(policy); }

  /// From now on what would change anything is only recorded: that needs no permission. What only looks still does, and
  /// nobody is asked for it.
  void start_dry_run() { dry_ = true; }

  /// A line of JSON for each effect, appended to `path` as it is decided.
  void audit_to(std::string path) { audit_path_ = std::move(path); }

  /// What a dry run kept from happening, in order.
  const std::vector<Effect>& recorded() const { return recorded_; }

 private:
  void write_audit(const Effect& effect, std::string_view verdict, std::string_view by);

  std::unique_ptr<Policy> policy_;
  std::string audit_path_;
  std::vector<Effect> recorded_;
  bool dry_ = false;
};

}  // namespace reg
