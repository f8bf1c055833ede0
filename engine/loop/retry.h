#pragma once

#include <functional>
#include <string_view>

#include "engine/loop/coroutine.h"
#include "engine/loop/loop.h"

// Failures of the network pass: what failed with ErrorKind::network is tried again, with longer and longer waits. Each
// noun says which of its failures are of that kind, and limits the time of an attempt: one that hangs is a failure too.

namespace reg {

/// How long work is tried again after its first failure; 0 at first: never.
/// Returns how long it was before.
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
