#include "engine/process/exit_time.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <mutex>
#include <thread>

#include "engine/base/error.h"

namespace reg::process {
namespace {

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

ExitTime::ExitTime(Fd pidfd) : pidfd_(std::move(pidfd)), number_(Watch::one().add(pidfd_.get())) {}

ExitTime::~ExitTime() { Watch::one().drop(number_); }

std::optional<Clock::time_point> ExitTime::ended() const { return Watch::one().ended(number_); }

}  // namespace reg::process
