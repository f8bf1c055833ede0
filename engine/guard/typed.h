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

/// The policy for what its user types, at the prompt or behind -e: that may do everything, until it loads a file from
/// elsewhere. What such a file leaves behind - a function, a metamethod - may stand behind everything that is typed
/// later, so from then on each of these files must be permitted whatever happens, by a policy of its own.
class Typed : public Policy {
 public:
  using PolicyOfFile = std::function<std::unique_ptr<Policy>(const std::string& file, std::string_view text)>;

  explicit Typed(PolicyOfFile policy_of_file) : policy_of_file_(std::move(policy_of_file)) {}

  std::string permit(const Effect& effect, bool may_ask) override;
  void declare(EffectKind kind, const std::string& pattern) override;
  void join(const std::string& file, std::string_view text, bool own) override;
  void grant(EffectKind kind, const std::string& path) override;

 private:
  PolicyOfFile policy_of_file_;
  std::vector<std::unique_ptr<Policy>> loaded_;  // one for each file from elsewhere
  std::set<std::string> texts_;                  // theirs, each behind its file
  std::vector<std::pair<EffectKind, std::string>> granted_;
};

}  // namespace reg
