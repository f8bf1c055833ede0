#pragma once

#include <set>
#include <string>

#include "engine/broker/wire.h"
#include "engine/guard/policy.h"

namespace reg::broker {

/// The broker's policy and the audit log. The engine tells each effect before it asks for it; what it asks for without
/// having told it is written here, and so is what is refused here.
class Audited : public Policy {
 public:
  Audited(Policy& policy, Audit audit) : policy_(policy), audit_(std::move(audit)) {}

  std::string permit(const Effect& effect, bool may_ask) override;
  std::optional<Bounds> bounds(const Effect& effect) const override { return policy_.bounds(effect); }

  /// A line of the engine. Throws usage for what cannot be one.
  void tell(const Json& line);

 private:
  Policy& policy_;
  Audit audit_;
  std::multiset<std::string> told_;  // effects that the engine will ask for, or has itself
};

/// The policy of the parts of the broker: nobody is asked, and the files that came open with a request need no
/// permission.
class Answered : public Policy {
 public:
  explicit Answered(Policy& policy) : policy_(policy) {}

  void set_files(std::set<std::string> files) { files_ = std::move(files); }
  std::string permit(const Effect& effect, bool may_ask) override;
  std::optional<Bounds> bounds(const Effect& effect) const override { return policy_.bounds(effect); }

 private:
  Policy& policy_;
  std::set<std::string> files_;
};

/// The line that Audited::tell reads.
Json as_line(const Effect& effect, std::string_view verdict, std::string_view by);

}  // namespace reg::broker
