#include "engine/base/packets.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "engine/base/error.h"

namespace reg::packets {
namespace {

constexpr std::size_t kMostInline = 8192;
constexpr std::size_t kMostFiles = 4;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr char kInline = 't', kInFile = 'f';

Fd in_memory(const std::string& text) {
  Fd file(::memfd_create("message", MFD_CLOEXEC));
  if (!file) throw system_error("memfd_create", errno);
  write_all(file.get(), text, "a message");
  return file;
}

// The whole text of a file that the other end may still change.
std::optional<std::string> text_of(int file) {
  struct stat found {};
  if (::fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size < 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(found.st_size);
  if (size > kMostBytes) return std::nullopt;
  std::string text = read_at(file, 0, size);
  return text.size() == size ? std::optional(std::move(text)) : std::nullopt;
}

union Control {
  cmsghdr header;
  std::array<char, CMSG_SPACE(kMostFiles * sizeof(int))> bytes;
};

}  // namespace

std::pair<Fd, Fd> make_channel() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw system_error("socketpair", errno);
  return {Fd(ends[0]), Fd(ends[1])};
}

Message packed(const std::string& text, const std::vector<int>& files) {
  Message packet;
  if (text.size() > kMostInline) packet.files.push_back(in_memory(text));
  packet.text = packet.files.empty() ? kInline + text : std::string(1, kInFile);
  for (const int file : files) packet.files.emplace_back(::fcntl(file, F_DUPFD_CLOEXEC, 0));
  return packet;
}

// Makes system calls only.
static bool send_all(int socket, std::string_view bytes, const std::array<int, kMostFiles>& files, std::size_t count,
                     int flags) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  Control control{};
  if (count > 0) {
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(header), files.data(), count * sizeof(int));
  }
  ssize_t sent = -1;
  do sent = ::sendmsg(socket, &message, flags | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

bool send(int socket, const Message& packet, int flags) {
  std::array<int, kMostFiles> files{};
  for (std::size_t i = 0; i < packet.files.size(); ++i) files.at(i) = packet.files[i].get();
  return send_all(socket, packet.text, files, packet.files.size(), flags);
}

bool send_file(int socket, int file) { return send_all(socket, {&kInline, 1}, {file}, 1, 0); }

std::optional<Message> receive(int socket, int flags) {
  std::array<char, kMostInline + 1> bytes{};
  iovec part{bytes.data(), bytes.size()};
  msghdr message{};
  Control control{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  ssize_t size = -1;
  do size = ::recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  if (size < 0) return std::nullopt;
  Message received;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    std::array<int, kMostFiles> numbers{};
    const std::size_t count = std::min((header->cmsg_len - CMSG_LEN(0)) / sizeof(int), kMostFiles);
    std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
    for (std::size_t i = 0; i < count; ++i) received.files.emplace_back(numbers.at(i));
  }
  errno = 0;
  if (size == 0 || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return std::nullopt;
  received.text.assign(bytes.data() + 1, static_cast<std::size_t>(size) - 1);
  if (bytes[0] != kInFile) return received;
  if (received.files.empty()) return std::nullopt;
  auto text = text_of(received.files.front().get());
  errno = 0;
  if (!text) return std::nullopt;
  received.text = std::move(*text);
  received.files.erase(received.files.begin());
  return received;
}

}  // namespace reg::packets
