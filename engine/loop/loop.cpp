#include "engine/loop/loop.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <utility>
// GCC 12 needs <utility> before Asio.
#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <regex>
#include <thread>

#include "engine/base/text.h"
#include "engine/base/time.h"

namespace reg {
namespace {

using Line = std::optional<std::string>;

constexpr int kCancelCheck_ms = 100;

std::atomic<bool> reading = false;
std::string rest;  // bytes read beyond the last line; belongs to whoever set `reading`

// Runs on a worker, which must end when cancelled: the program could not exit otherwise.
Line next_line(const std::atomic<bool>& cancelled) {
  while (true) {
    if (const std::size_t end = rest.find('\n'); end != std::string::npos) {
      std::string line = rest.substr(0, end);
      rest.erase(0, end + 1);
      return line;
    }
    if (cancelled) throw Error(ErrorKind::cancelled, "stopped");
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, kCancelCheck_ms) <= 0) continue;
    char buffer[4096];
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno != EINTR && errno != EAGAIN) throw system_error("standard input", errno);
    if (count > 0) rest.append(buffer, static_cast<std::size_t>(count));
    if (count == 0) return rest.empty() ? Line() : Line(std::exchange(rest, {}));
  }
}

}  // namespace

namespace asio = boost::asio;

struct Loop::Impl {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> stay = asio::make_work_guard(context);
  std::optional<asio::thread_pool> workers;  // started at the first need: most scripts have none

  // Signals arrive on a thread of their own: the loop's may be in a C function that does not return.
  asio::io_context signal_context{1};
  std::optional<asio::signal_set> signals;
  std::thread signal_thread;
  std::function<void(int)> on_signal;
  std::function<void(int)> at_once;

  void end_signal_thread() {
    signal_context.stop();
    if (signal_thread.joinable()) signal_thread.join();
  }

  void wait_for_signal() {
    signals->async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      at_once(signal);
      asio::post(context, [this, signal] { on_signal(signal); });
      wait_for_signal();
    });
  }
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}

Loop::~Loop() {
  impl_->end_signal_thread();
  if (impl_->workers) impl_->workers->join();
}

void Loop::post(std::function<void()> f) { asio::post(impl_->context, std::move(f)); }

void Loop::work(std::function<void()> blocking) {
  constexpr std::size_t worker_count = 4;
  if (!impl_->workers) impl_->workers.emplace(worker_count);
  asio::post(*impl_->workers, std::move(blocking));
}

void Loop::run_until(const std::function<bool()>& done) {
  while (!done()) impl_->context.run_one();
}

void Loop::poll() { impl_->context.poll(); }

std::shared_ptr<void> Loop::after(double seconds, std::function<void()> f) {
  auto timer = std::make_shared<asio::steady_timer>(impl_->context);
  timer->expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds)));
  timer->async_wait([f = std::move(f)](const boost::system::error_code& error) {
    if (!error) f();
  });
  return timer;
}

void Loop::on_stop_signal(std::function<void(int)> f, std::function<void(int)> at_once) {
  impl_->end_signal_thread();
  impl_->signals.reset();
  impl_->signal_context.restart();
  impl_->on_signal = std::move(f);
  impl_->at_once = std::move(at_once);
  impl_->signals.emplace(impl_->signal_context, SIGINT, SIGTERM, SIGHUP);
  impl_->wait_for_signal();
  impl_->signal_thread = std::thread([this] { impl_->signal_context.run(); });
}

asio::io_context& Loop::context() { return impl_->context; }

Op<Nothing> sleep(Loop& loop, double seconds) {
  auto op = std::make_shared<Operation<Nothing>>();
  auto timer = loop.after(seconds, [op] { op->resolve({}); });
  op->on_cancel([op, timer]() mutable {
    timer.reset();
    op->reject(std::make_exception_ptr(Error(ErrorKind::cancelled, "stopped")));
  });
  return op;
}

Op<Line> read_line(Loop& loop) {
  if (reading.exchange(true)) return nullptr;
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  auto op = on_worker(loop, [cancelled] {
    const std::shared_ptr<void> done(nullptr, [](void*) { reading = false; });
    return next_line(*cancelled);
  });
  op->on_cancel([cancelled] { *cancelled = true; });
  return op;
}

constexpr double longest_wait_s = 30;

static double retried_for_s = 0;
static double told_until = 0;  // a wait that was told of is under way: those beside it need no line of their own

double retry_network_for(double seconds) { return std::exchange(retried_for_s, seconds); }

double Backoff::wait_after(const Error& failure) {
  const double at = seconds_now();
  if (attempts_ == 0) first_failure_ = at;
  const double wait_s = std::min(longest_wait_s, std::ldexp(1, std::min(attempts_++, 10)));
  const double left_s = std::min(retried_for_s, most_s_) - (at - first_failure_);
  if (left_s <= 0 && attempts_ == 1) throw failure;
  if (left_s <= 0)
    throw Error(
        ErrorKind::network,
        fmt::format("{} (tried {} times in {})", failure.what(), attempts_, format_duration(at - first_failure_)),
        failure.hint());
  const double next_s = std::min(wait_s, left_s);
  if (at >= told_until) {
    told_until = at + next_s;
    notify(fmt::format("{}; trying again in {:.3g} s", joined_lines(failure.what()), next_s));
  }
  return next_s;
}

bool says_network_failed(std::string_view message) {
  // The last of them: an HTTP server's number beside a word for it.
  static const std::regex signs(
      "connection refused|connection reset|connection timed out|operation timed out|connection closed by|i/o timeout|"
      "timeout exceeded|handshake timeout|timeout awaiting|deadline exceeded|network is unreachable|no route to host|"
      "broken pipe|unexpected eof|unexpected disconnect|: eof|temporary failure in name resolution|server misbehaving|"
      "too many requests|toomanyrequests|internal server error|bad gateway|service unavailable|gateway time|"
      "gnutls_handshake\\(\\) failed|stream error|(status: |status code:? |returned error: )(429|50[0-4])");
  return std::regex_search(in_small_letters(message), signs);
}

}  // namespace reg
