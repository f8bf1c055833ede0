#include "engine/store/open.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace reg::store {

std::string default_path() {
  constexpr const char* kEarlier = "regengine.db";
  return std::filesystem::is_regular_file(kEarlier) ? kEarlier : std::string(kOwnFolder) + "/results.db";
}

Op<std::shared_ptr<Store>> open(Loop& loop, std::string path, double wait_s) {
  constexpr double pause_s = 0.1;
  bool told = false;
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
    if (!std::exchange(told, true)) notify(fmt::format("waiting for {}, in use by {}", path, holder));
    co_await sleep(loop, pause_s);
  }
}

double LockWait::after(const Busy& busy, const Store& store, double patience_s) {
  static std::weak_ptr<void> one_told;  // the notice of one is enough for all that wait
  constexpr double longest_s = 1, quiet_s = 1;
  if (waited_s_ >= patience_s) throw busy;
  if (waited_s_ >= quiet_s && !told_ && !(told_ = one_told.lock())) {
    one_told = told_ = std::make_shared<bool>(true);
    notify("waiting for " + store.path() + ", which another program has locked");
  }
  const double wait_s = std::clamp(waited_s_ / 4, 0.02, longest_s);
  waited_s_ += wait_s;
  return wait_s;
}

}  // namespace reg::store
