#pragma once

#include <memory>

#include "engine/broker/wire.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg::broker {

class Client;

/// The broker's side of git::GitElsewhere: git runs in a private folder, held by Landlock to that and the repository
/// that the request names.
class GitRequests {
 public:
  GitRequests(Loop& loop, Policy& policy) : loop_(loop), policy_(policy) {}

  /// Throws permission for a URL or a folder that the policy refuses.
  Op<Json> handle(const Json& request);

 private:
  Loop& loop_;
  Policy& policy_;
};

/// From now on git's client runs at the broker.
void use_broker_for_git(const std::shared_ptr<Client>& client);

}  // namespace reg::broker
