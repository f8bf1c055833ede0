#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/broker/channel.h"
#include "engine/guard/policy.h"
#include "engine/process/command.h"

namespace reg::broker {

/// The side that is not boxed. It runs what the boxed engine asks for, if its own copy of the user's answer permits it,
/// and believes nothing that the engine says.
class Broker {
 public:
  /// `free`: command lines that need no permission.
  Broker(Loop& loop, Policy& policy, Fd socket, std::vector<std::vector<std::string>> free = {});

  /// The boxed engine is gone, and everything that it had started has ended.
  bool ended() const { return gone_ && running_.empty(); }

 private:
  void handle(Message message);
  bool is_free(const process::Command& command) const;
  void run(std::uint64_t id, process::Command command, const std::shared_ptr<Message>& files);
  void answer(std::uint64_t id, const Op<process::Outcome>& op);
  void refuse(std::uint64_t id, const std::exception_ptr& error);
  void end_everything();

  Loop& loop_;
  Policy& policy_;
  std::shared_ptr<Channel> channel_;
  std::vector<std::vector<std::string>> free_;
  std::map<std::uint64_t, Op<process::Outcome>> running_;
  bool gone_ = false;
};

}  // namespace reg::broker
