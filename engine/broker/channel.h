#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/packets.h"
#include "engine/loop/loop.h"

namespace reg::broker {

using packets::make_channel;
using packets::Message;
using packets::receive;
using packets::send;

/// An end whose messages come through the loop.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  Channel(Loop& loop, Fd socket);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// From now on. `on_end`: the other end is closed.
  void listen(std::function<void(Message)> on_message, std::function<void()> on_end);

  /// What finds no room at once is sent later, in order. The files are copied.
  void send(const std::string& text, const std::vector<int>& files = {});

 private:
  struct Impl;
  void wait_to_read();
  void wait_to_write();

  std::unique_ptr<Impl> impl_;
};

}  // namespace reg::broker
