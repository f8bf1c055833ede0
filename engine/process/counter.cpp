#include "engine/process/counter.h"

#include <linux/perf_event.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "engine/base/error.h"

namespace reg::process {
namespace {

// Of the calling process, or -1 with errno.
int open_counter(const Counted& counted) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = counted.type;
  wanted.config = counted.config;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  wanted.disabled = wanted.enable_on_exec = wanted.inherit = 1;
  wanted.exclude_kernel = wanted.exclude_hv = 1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// A message of one byte, with room for one descriptor.
struct Message {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr header{};

  Message() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
};

}  // namespace

const Counted kInstructions{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};

void check_counter(const Counted& counted) {
  const Fd counter(open_counter(counted));
  if (counter.get() >= 0) return;
  if (errno == EACCES || errno == EPERM)
    throw Error(ErrorKind::unavailable, "this machine does not permit counting instructions",
                "Run: sudo sysctl kernel.perf_event_paranoid=2. A container must be allowed to call perf_event_open.");
  if (errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV || errno == ENOSYS)
    throw Error(ErrorKind::unavailable, "this machine has no instruction counter",
                "Virtual machines often have none. Use another metric, such as @cpu.");
  throw system_error("perf_event_open", errno);
}

Counter::Counter(const Counted& counted) : counted_(counted) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw system_error("socketpair", errno);
  ours_ = Fd(ends[0]);
  childs_ = Fd(ends[1]);
}

bool Counter::open() const {
  const int counter = open_counter(counted_);
  if (counter < 0) return false;
  Message message;
  cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof counter);
  std::memcpy(CMSG_DATA(part), &counter, sizeof counter);
  return ::sendmsg(childs_.get(), &message.header, MSG_NOSIGNAL) == 1;
}

void Counter::receive() {
  Message message;
  if (::recvmsg(ours_.get(), &message.header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1) return;
  const cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  if (part == nullptr || part->cmsg_type != SCM_RIGHTS) return;
  int counter = -1;
  std::memcpy(&counter, CMSG_DATA(part), sizeof counter);
  counter_ = Fd(counter);
  ours_ = Fd();
  childs_ = Fd();
}

std::optional<std::uint64_t> Counter::read() const {
  std::array<std::uint64_t, 3> values{};  // the count, and how long it was to count and did
  if (counter_.get() < 0 || ::read(counter_.get(), values.data(), sizeof values) != sizeof values) return std::nullopt;
  if (values[1] == 0 || values[2] < values[1]) return std::nullopt;
  return values[0];
}

}  // namespace reg::process
