#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "engine/broker/channel.h"
#include "engine/process/command.h"

namespace reg::broker {

/// The boxed engine's side: it asks for commands, and the broker decides.
class Client {
 public:
  Client(Loop& loop, Fd socket);

  /// As process::run.
  Op<process::Outcome> run(const process::Command& command);

 private:
  void settle(const Message& message);

  std::shared_ptr<Channel> channel_;
  std::map<std::uint64_t, Op<process::Outcome>> running_;
  std::uint64_t last_ = 0;
};

}  // namespace reg::broker
