#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/guard/effect.h"

namespace reg {

/// Decides which effects are permitted, and hears what the script declares and loads.
class Policy {
 public:
  virtual ~Policy() = default;

  /// What permits the effect, for the audit log; throws Error(permission) to refuse it. `may_ask`: the user.
  virtual std::string permit(const Effect& effect, bool may_ask) = 0;

  /// reg.needs: the script declares that it needs what this pattern matches.
  virtual void declare(EffectKind, const std::string& /*pattern*/) {}

  /// require: this text is now part of the script. `own`: it is shipped with the engine, or the user trusts its path.
  virtual void join(const std::string& /*file*/, std::string_view /*text*/, bool /*own*/) {}

  /// Using this needs no permission. files: a folder that the engine created for the script, and its contents, or with
  /// `to_write` false a file that may be read; process: a library that commands load; container: a device or capability
  /// that the user typed (Need::only_user).
  virtual void grant(EffectKind, const std::string& /*name*/, bool /*to_write*/) {}

  /// The bounds of the program that this effect runs in the sandbox; std::nullopt if it runs none, or one outside.
  virtual std::optional<Bounds> bounds(const Effect&) const { return std::nullopt; }

  /// True: another process wrote it, since this one may not.
  virtual bool writes(const std::string& /*file*/, std::string_view /*text*/) { return false; }

  /// The hash of the untrusted script that runs; "" for the user's own. What such a script stores is for it alone.
  virtual std::string untrusted_script() const { return {}; }
};

/// Permits everything: the script is the user's own.
class AllowAll : public Policy {
 public:
  std::string permit(const Effect&, bool) override { return "its user"; }
};
inline std::unique_ptr<Policy> allow_all() { return std::make_unique<AllowAll>(); }

/// The policy for code that the user types: it may do everything, but load no untrusted file (permission), whose
/// functions and metamethods could run behind everything typed later.
class Typed : public AllowAll {
 public:
  void join(const std::string& file, std::string_view text, bool own) override;
};

/// Hears of an effect. `verdict`: run, recorded or refused; `by`: what permitted it, "" if nothing did.
using Audit = std::function<void(const Effect& effect, std::string_view verdict, std::string_view by)>;

/// The only way to the outside. Every primitive passes each effect to admit() before it acts.
class Guard {
 public:
  explicit Guard(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  /// True: do it. False: this is a dry run and the effect was only recorded. Throws if refused.
  bool admit(const Effect& effect);

  /// How many commands were admitted so far, containers among them.
  std::size_t commands() const { return commands_; }

  Policy& policy() { return *policy_; }
  void set_policy(std::unique_ptr<Policy> policy) { policy_ = std::move(policy); }

  /// From now on effects that change something are only recorded and need no permission. Effects that only read still
  /// need it, and the user is not asked.
  void start_dry_run() { dry_ = true; }
  void end_dry_run() { dry_ = false; }

  /// Until end_rehearsal(), effects that change something are only noted and need no permission, and the user is not
  /// asked for those that read. Nothing else may run meanwhile: what a rehearsal would have to wait for ends it.
  void start_rehearsal() { rehearsing_ = true; }
  bool rehearsing() const { return rehearsing_; }
  /// A dry run or a rehearsal: what changes something is only noted.
  bool holds_all_back() const { return dry_ || rehearsing_; }
  /// Whether something was held back: what is read from then on may be a result of it.
  bool holds_back() const {
    return std::any_of(rehearsed_.begin(), rehearsed_.end(), [](const Effect& effect) { return effect.changes; });
  }
  /// Notes something other than an effect, such as the contents of a file that was read.
  void note(std::string identity) { rehearsed_.push_back({EffectKind::files, "", {}, false, std::move(identity)}); }
  std::vector<Effect> end_rehearsal() {
    rehearsing_ = false;
    return std::exchange(rehearsed_, {});
  }

  /// Appends one line of JSON per effect to `path` as it is decided. Throws where that cannot be written.
  void audit_to(std::string path);
  void audit_with(Audit audit) { audit_ = std::move(audit); }
  /// Also of an effect that another process decided.
  void audit(const Effect& effect, std::string_view verdict, std::string_view by) {
    if (audit_) audit_(effect, verdict, by);
  }

  /// The effects that the dry run held back, in order.
  const std::vector<Effect>& recorded() const { return recorded_; }

 private:
  std::unique_ptr<Policy> policy_;
  Audit audit_;
  std::vector<Effect> recorded_;
  std::vector<Effect> rehearsed_;
  std::size_t commands_ = 0;
  bool dry_ = false;
  bool rehearsing_ = false;
};

}  // namespace reg
