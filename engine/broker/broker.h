#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "engine/broker/audited.h"
#include "engine/broker/channel.h"
#include "engine/broker/container_requests.h"
#include "engine/broker/git_requests.h"
#include "engine/broker/setting_requests.h"
#include "engine/broker/wire.h"
#include "engine/guard/policy.h"
#include "engine/process/command.h"

namespace reg::broker {

/// The side that is not boxed. It does what the boxed engine asks for, if its own copy of the user's answer permits it,
/// and believes nothing that the engine says.
class Broker {
 public:
  using Write = std::function<void(const std::string& output, std::string_view text)>;

  /// `audit` hears of all effects, whether they happen here or in the engine, which tells its own.
  /// `outputs`: the files that the engine may have written, by their places in this list; `write` writes them.
  /// `ledger`: where changes of the machine are announced; called only if there are some.
  Broker(Loop& loop, Policy& policy, Audit audit, Fd socket, std::function<restore::Ledger&()> ledger,
         std::vector<std::string> outputs = {}, Write write = {});

  /// The boxed engine is gone, and everything that it had started has ended.
  bool ended() const { return gone_ && running_.empty(); }

 private:
  void handle(Message message);
  void start(std::uint64_t id, const Json& request, Message message);
  Op<process::Outcome> run(const Json& request, const std::shared_ptr<Message>& message);
  template <class T>
  void follow(std::uint64_t id, const Op<T>& op, const std::shared_ptr<void>& held = nullptr);
  void refuse(std::uint64_t id, const std::exception_ptr& error);
  void end_everything();

  Loop& loop_;
  Audited policy_;
  std::shared_ptr<Channel> channel_;
  GitRequests git_;
  ContainerRequests containers_;
  SettingRequests settings_;
  std::map<std::uint64_t, std::shared_ptr<Pending>> running_;
  std::vector<std::string> outputs_;
  Write write_;
  bool gone_ = false;
};

}  // namespace reg::broker
