#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/file.h"

namespace reg::packets {

/// One message between two processes: any bytes, and open files.
struct Message {
  std::string text;
  std::vector<Fd> files;
};

/// The same as it is sent: what is long goes as a file in memory.
Message packed(const std::string& text, const std::vector<int>& files);

/// A pair of connected ends, closed on exec. Throws io.
std::pair<Fd, Fd> make_channel();

/// Sends at once, waiting for room unless `flags` has MSG_DONTWAIT. False, with errno, if it cannot, as where the other
/// end is closed.
bool send(int socket, const Message& packed, int flags = 0);
inline bool send(int socket, const std::string& text, const std::vector<int>& files = {}) {
  return send(socket, packed(text, files));
}

/// An open file without a text. It makes system calls only, for between fork and exec.
bool send_file(int socket, int file);

/// Waits for a message unless `flags` has MSG_DONTWAIT; nullopt with errno EAGAIN where none is there yet, with 0 where
/// the other end is closed, or sent what cannot be a message.
std::optional<Message> receive(int socket, int flags = 0);

}  // namespace reg::packets
