#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/loop/loop.h"

namespace reg::broker {

/// One message: any bytes, and open files.
struct Message {
  std::string text;
  std::vector<Fd> files;
};

/// A pair of connected ends, closed on exec. Throws io.
std::pair<Fd, Fd> make_channel();

/// Sends at once, waiting for room. What is long goes as a file in memory. False if the other end is closed.
bool send(int socket, const std::string& text, const std::vector<int>& files = {});

/// Waits for a message; nullopt where the other end is closed, or sent what cannot be a message.
std::optional<Message> receive(int socket);

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
