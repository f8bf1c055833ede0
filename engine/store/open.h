#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/loop/coroutine.h"
#include "engine/loop/loop.h"
#include "engine/store/store.h"

namespace reg::store {

/// The folder that the engine makes in a workspace; git does not list it.
inline constexpr const char* kOwnFolder = ".regengine";

/// Where results are kept unless another file is named: ".regengine/results.db", or "regengine.db" where an earlier
/// version made that.
std::string default_path();

/// Opens the store at `path`. While another engine has it open, waits up to `wait_s`, with a notice, and then rejects
/// with conflict.
Op<std::shared_ptr<Store>> open(Loop& loop, std::string path, double wait_s);

/// The waits for a store that another program has locked.
class LockWait {
 public:
  /// The seconds until the next try, with a notice after the first second. Throws `busy` once `patience_s` is over.
  double after(const Busy& busy, const Store& store, double patience_s);

 private:
  double waited_s_ = 0;
  std::shared_ptr<void> told_;  // that one of those that wait now told the user of it
};

/// What `work(store)` returns. While another program has the store locked, the loop goes on, and the work is tried
/// again for up to `patience_s`.
template <class Work, class T = decltype(result_of(std::declval<Work&>(), std::declval<Store&>()))>
Op<T> when_free(Loop& loop, std::shared_ptr<Store> store, Work work, double patience_s) {
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
