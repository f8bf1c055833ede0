#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/broker/audited.h"
#include "engine/broker/channel.h"
#include "engine/broker/wire.h"
#include "engine/container/runtimes.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"
#include "engine/restore/ledger.h"

namespace reg::broker {

/// The broker's side of docker and podman: the real runtimes, under the broker's own policy. Owns the containers that
/// the boxed engine keeps, and removes them.
class ContainerRequests {
 public:
  ContainerRequests(Loop& loop, Policy& policy, std::function<restore::Ledger&()> ledger);
  ~ContainerRequests();
  ContainerRequests(const ContainerRequests&) = delete;
  ContainerRequests& operator=(const ContainerRequests&) = delete;

  /// `message`: the files of the request are in it. Throws for what is not permitted or not valid.
  Op<Json> handle(const Json& request, const std::shared_ptr<Message>& message);

 private:
  Op<Json> image(container::Runtime& runtime, const std::string& call, const std::string& name);
  Op<Json> start(std::shared_ptr<container::Runtime> runtime, container::Spec spec);
  Op<Json> remove(std::string name);
  void announce(const std::string& runtime);
  void set_files(container::Exec& command, const Json& request, const Message& message);
  std::shared_ptr<container::Container> kept(const std::string& name) const;

  Answered* limits_;  // of guard_
  Guard guard_;
  std::shared_ptr<container::Runtimes> runtimes_;
  std::map<std::string, std::shared_ptr<container::Container>> kept_;
  std::function<restore::Ledger&()> ledger_;
  std::map<std::string, restore::Change> announced_;  // by runtime
};

}  // namespace reg::broker
