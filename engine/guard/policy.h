#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reg {

/// What an effect touches. Scripts will name these in `reg.needs`, so the words are part of the interface.
enum class EffectKind { process, container, git, files, network, gpu };

const char* to_string(EffectKind kind);

/// Something that reaches outside the engine, said before it happens.
struct Effect {
  EffectKind kind;
  std::string what;     ///< for people, on one line: "docker run --rm busybox true", "fetch https://..."
  bool changes = true;  ///< false for what only looks: a manifest, a log, a file read
};

enum class Verdict {
  run,     ///< do it
  record,  ///< do not do it, act as if it had gone well: a dry run
};

/// Decides on effects. Throws Error(permission) to refuse one.
class Policy {
 public:
  virtual ~Policy() = default;
  virtual Verdict decide(const Effect& effect) = 0;
};

/// Everything goes: the script's author started it.
std::unique_ptr<Policy> allow_all();

/// Runs what only looks, and records what would change anything.
std::unique_ptr<Policy> dry_run();

/// The one door to the outside. Every primitive passes each effect through admit() before it acts, so permissions, the
/// dry run and the audit log live here and nowhere else.
class Guard {
 public:
  explicit Guard(std::unique_ptr<Policy> policy) : policy_(std::move(policy)) {}

  /// True: do it. False: a dry run, it was only recorded. Throws when refused.
  bool admit(const Effect& effect);

  void set_policy(std::unique_ptr<Policy> policy) { policy_ = std::move(policy); }

  /// A line of JSON for each effect, appended to `path` as it is decided.
  void audit_to(std::string path) { audit_path_ = std::move(path); }

  /// What a dry run kept from happening, in order.
  const std::vector<Effect>& recorded() const { return recorded_; }

 private:
  void write_audit(const Effect& effect, std::string_view verdict);

  std::unique_ptr<Policy> policy_;
  std::string audit_path_;
  std::vector<Effect> recorded_;
};

}  // namespace reg
