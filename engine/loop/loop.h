#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/loop/coroutine.h"

namespace boost::asio {
class io_context;
}

namespace reg {

/// The event loop, on the thread that made it, and a few worker threads for calls that block (libgit2).
/// It does not know Lua, and it never runs anything on a worker that was not handed to work() or on_worker().
class Loop {
 public:
  Loop();
  ~Loop();

  /// Runs `f` on the loop's thread, soon. From any thread.
  void post(std::function<void()> f);

  /// Runs `blocking` on a worker.
  void work(std::function<void()> blocking);

  /// Handles events until `done()`; blocks while nothing happens.
  void run_until(const std::function<bool()>& done);

  /// Handles events until the work is done; its result.
  template <class T>
  T wait_for(const Op<T>& op) {
    run_until([&] { return op->done(); });
    return op->take();
  }

  /// Handles what is ready, without waiting.
  void poll();

  /// Calls `f` after `seconds`, unless the handle is dropped first.
  [[nodiscard]] std::shared_ptr<void> after(double seconds, std::function<void()> f);

  /// Calls `at_once(signal)` on a thread of signals and then `f(signal)` on the loop's thread at each SIGINT, SIGTERM
  /// or SIGHUP, for as long as the loop lives or until it is called again.
  void on_stop_signal(std::function<void(int)> f, std::function<void(int)> at_once);

  boost::asio::io_context& context();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Resolves after `seconds`; a cancel rejects it at once.
Op<Nothing> sleep(Loop& loop, double seconds);

/// The result of `f()`, run on a worker. It cannot be cancelled: `f` runs to its end.
template <class F, class T = decltype(result_of(std::declval<F&>()))>
Op<T> on_worker(Loop& loop, F f) {
  auto op = std::make_shared<Operation<T>>();
  loop.work([&loop, op, f = std::optional<F>(std::move(f))]() mutable {
    // What f holds is released before anybody hears of its result: who closes a thing then is the last to hold it.
    try {
      auto value = std::make_shared<T>(result_of(*f));
      f.reset();
      loop.post([op, value] { op->resolve(std::move(*value)); });
    } catch (const std::exception&) {
      f.reset();
      loop.post([op, error = std::current_exception()] { op->reject(error); });
    }
  });
  return op;
}

/// The next line of standard input without its newline, or nothing at the end. Other tasks run meanwhile. Returns
/// nullptr if another read_line is not done yet.
Op<std::optional<std::string>> read_line(Loop& loop);

/// How long work is tried again after its first failure; 0 at first: never. Returns how long it was before.
double retry_network_for(double seconds);

/// The waits of one piece of work, for `most_s` at most.
class Backoff {
 public:
  explicit Backoff(double most_s) : most_s_(most_s) {}
  /// The seconds to wait before the next attempt, with a notice that says so. When the time is used up, throws the
  /// failure with how often it was tried.
  double wait_after(const Error& failure);

 private:
  double most_s_;
  double first_failure_ = 0;
  int attempts_ = 0;
};

/// The result of `attempt()`, which is called again after a failure of the network, for `most_s` at most. A cancel ends
/// a wait at once.
template <class T>
Op<T> with_retries(Loop& loop, std::function<Op<T>()> attempt, double most_s = 1e9) {
  Backoff backoff(most_s);
  for (;;) {
    double wait_s = 0;
    const Op<T> work = attempt();
    try {
      co_return co_await work;
    } catch (const Error& failure) {
      if (failure.kind() != ErrorKind::network) throw;
      wait_s = backoff.wait_after(failure);
    }
    co_await sleep(loop, wait_s);
  }
}

/// Whether these are words of the system, of a TLS library or of an HTTP server about a failure that passes.
bool says_network_failed(std::string_view message);

}  // namespace reg
