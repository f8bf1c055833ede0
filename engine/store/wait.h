#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "engine/loop/coroutine.h"
#include "engine/loop/loop.h"
#include "engine/store/store.h"

namespace reg::store {

/// The waits for a store that another program has locked.
class LockWait {
 public:
  LockWait() = default;
  LockWait(const LockWait&) = delete;
  LockWait& operator=(const LockWait&) = delete;
  ~LockWait();

  /// The seconds until the next try, with a notice after the first second and every ten minutes. Throws `busy` once
  /// `patience_s` is over.
  double after(const Busy& busy, const Store& store, double patience_s);

 private:
  double waited_s_ = 0;
  double next_notice_s_ = 1;
  bool tells_ = false;
};

/// What `work(store)` returns. While another program has the store locked, the loop goes on, and the work is tried
/// again for up to `patience_s`.
template <class T>
Op<T> when_free(Loop& loop, std::shared_ptr<Store> store, std::function<T(Store&)> work, double patience_s) {
  LockWait waits;
  for (;;) {
    double wait_s = 0;
    try {
      const auto impatient = store->writer().without_waiting();
      co_return work(*store);
    } catch (const Busy& busy) {
      wait_s = waits.after(busy, *store, patience_s);
    }
    co_await sleep(loop, wait_s);
  }
}

}  // namespace reg::store
