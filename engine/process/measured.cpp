#include "engine/process/measured.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <mutex>
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

// The thread that notes ends. It gives the kernel numbers, never pointers: a forked process shares the epoll file.
class Watch {
 public:
  static Watch& one() {
    static Watch watch;
    return watch;
  }

  std::uint64_t add(int pidfd) {
    const std::lock_guard lock(mutex_);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLONESHOT;
    event.data.u64 = ++last_;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, pidfd, &event) != 0) throw system_error("epoll", errno);
    ended_[last_] = std::nullopt;
    return last_;
  }

  std::optional<Clock::time_point> ended(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    return ended_.at(number);
  }

  void drop(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    ended_.erase(number);
  }

  ~Watch() {
    const std::uint64_t end = 1;
    if (::write(stop_.get(), &end, sizeof end) == sizeof end) thread_.join();
  }

 private:
  Watch() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), stop_(::eventfd(0, EFD_CLOEXEC)) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (!epoll_ || !stop_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, stop_.get(), &event) != 0)
      throw system_error("epoll", errno);
    // Signals are for the other threads.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { note_ends(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void note_ends() {
    for (epoll_event event{};;) {
      const int count = ::epoll_wait(epoll_.get(), &event, 1, -1);
      if (count < 0 && errno != EINTR) return;
      if (count <= 0) continue;
      const Clock::time_point now = Clock::now();
      if (event.data.u64 == 0) return;
      const std::lock_guard lock(mutex_);
      if (const auto found = ended_.find(event.data.u64); found != ended_.end()) found->second = now;
    }
  }

  Fd epoll_, stop_;
  std::mutex mutex_;
  std::uint64_t last_ = 0;  // 0 stands for stop_
  std::map<std::uint64_t, std::optional<Clock::time_point>> ended_;
  std::thread thread_;
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

ExitTime::ExitTime(Fd pidfd) : pidfd_(std::move(pidfd)), number_(Watch::one().add(pidfd_.get())) {}

ExitTime::~ExitTime() { Watch::one().drop(number_); }

std::optional<Clock::time_point> ExitTime::ended() const { return Watch::one().ended(number_); }

}  // namespace reg::process
