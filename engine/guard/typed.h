#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/guard/policy.h"

namespace reg {

/// The policy for code that the user types, at the prompt or with -e: it may do everything until it loads an untrusted
/// file. Functions and metamethods from such a file can run behind everything typed later, so from then on each effect
/// must be permitted by the policy of every loaded file.
class Typed : public Policy {
 public:
  using PolicyOfFile = std::function<std::unique_ptr<Policy>(const std::string& file, std::string_view text)>;

  explicit Typed(PolicyOfFile policy_of_file) : policy_of_file_(std::move(policy_of_file)) {}

  std::string permit(const Effect& effect, bool may_ask) override;
  void declare(EffectKind kind, const std::string& pattern) override;
  void join(const std::string& file, std::string_view text, bool own) override;
  void grant(EffectKind kind, const std::string& name, bool to_write) override;
  std::optional<Bounds> bounds(const Effect& effect) const override;
  std::string untrusted_script() const override { return loaded_.empty() ? "" : loaded_.back()->untrusted_script(); }

 private:
  struct Granted {
    EffectKind kind;
    std::string name;
    bool to_write;
  };

  PolicyOfFile policy_of_file_;
  std::vector<std::unique_ptr<Policy>> loaded_;  // one for each untrusted file
  std::set<std::string> texts_;                  // of these files, each after its file name
  std::vector<Granted> granted_;
};

}  // namespace reg
