#include "engine/store/open.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/base/error.h"
#include "engine/loop/coroutine.h"

namespace reg::store {

std::string default_path() {
  constexpr const char* kEarlier = "regengine.db";
  return std::filesystem::is_regular_file(kEarlier) ? kEarlier : std::string(kOwnFolder) + "/results.db";
}

Op<std::shared_ptr<Store>> open(Loop& loop, std::string path, double wait_s,
                                std::function<void(const std::string& holder)> on_wait) {
  constexpr double pause_s = 0.1;
  for (double left_s = wait_s; true; left_s -= pause_s) {
    std::string holder;
    try {
      if (auto opened = Store::try_open(path)) co_return opened;
      holder = Store::lock_holder(path);
    } catch (const Busy&) {
      holder = "another program";
    }
    if (left_s <= 0)
      throw Error(ErrorKind::conflict, fmt::format("{} is in use by {}", path, holder),
                  "Wait for it to end, or choose another file with --store.");
    if (on_wait) std::exchange(on_wait, nullptr)(holder);
    co_await sleep(loop, pause_s);
  }
}

}  // namespace reg::store
