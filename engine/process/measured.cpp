#include "engine/process/measured.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>
#include <tuple>

#include "engine/base/error.h"
#include "engine/base/packets.h"
#include "engine/base/text.h"

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

// The number in the line "oom_kill N"; nullopt where there is none.
std::optional<std::int64_t> oom_kills_in(const std::string& path) {
  constexpr std::string_view key = "oom_kill ";
  const auto text = read_file_if_there(path);
  if (!text) return std::nullopt;
  for (const auto line : lines(*text))
    if (line.starts_with(key)) return whole_number<std::int64_t>(line.substr(key.size())).value_or(0);
  return std::nullopt;
}

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

Counter::Counter(const Counted& counted) : counted_(counted) { std::tie(ours_, childs_) = packets::make_channel(); }

bool Counter::open() const {
  const int counter = open_counter(counted_);
  return counter >= 0 && packets::send_file(childs_.get(), counter);
}

void Counter::receive() {
  auto message = packets::receive(ours_.get(), MSG_DONTWAIT);
  if (message && !message->files.empty()) counter_ = std::move(message->files.front());
}

std::optional<std::uint64_t> Counter::read() const {
  std::array<std::uint64_t, 3> values{};  // the count, and how long it was to count and did
  if (counter_.get() < 0 || ::read(counter_.get(), values.data(), sizeof values) != sizeof values) return std::nullopt;
  if (values[1] == 0 || values[2] < values[1]) return std::nullopt;
  return values[0];
}

std::optional<std::int64_t> oom_kills_beside(int pid) {
  const auto groups = read_file_if_there("/proc/" + std::to_string(pid) + "/cgroup");
  if (pid <= 0 || !groups) return std::nullopt;
  std::optional<std::int64_t> sum;
  for (const auto line : lines(*groups)) {  // "4:memory:/docker/abc" (version 1), "0::/docker/abc" (version 2)
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::string group(line.substr(parts[0].size() + parts[1].size() + 2));
    std::optional<std::int64_t> count;
    if (parts[1] == "memory") count = oom_kills_in("/sys/fs/cgroup/memory" + group + "/memory.oom_control");
    if (parts[1].empty()) count = oom_kills_in("/sys/fs/cgroup" + group + "/memory.events");
    if (count) sum = sum.value_or(0) + *count;
  }
  return sum;
}

OomKills oom_kills(const std::string& group) {
  const auto count = group.empty() ? oom_kills_beside(::getpid()) : oom_kills_in(group + "/memory.events");
  if (count) return {*count, false};
  return {oom_kills_in("/proc/vmstat").value_or(0), true};
}

std::shared_ptr<const ExitTime> exit_time(Fd pidfd) {
  const auto ended = std::make_shared<ExitTime>();
  std::thread([ended, pidfd = std::move(pidfd)] {
    sigset_t all;  // signals are for the other threads
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    pollfd end{pidfd.get(), POLLIN, 0};
    while (::poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
    *ended = Clock::now();
  }).detach();
  return ended;
}

}  // namespace reg::process
