#include "engine/store/open.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "engine/base/text.h"

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

namespace {

constexpr double kNoticeEvery_s = 600;

bool one_tells = false;  // the notices of one are enough for all that wait

// The process that holds a write lock on the file, from /proc/locks: "1: POSIX ADVISORY WRITE 412 fe:00:1179 120 120".
int locker_of(const std::string& path) {
  struct stat file {};
  const auto locks = ::stat(path.c_str(), &file) == 0 ? read_file_if_there("/proc/locks") : std::nullopt;
  if (!locks) return 0;
  const auto place = fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  for (const auto line : lines(*locks)) {
    int pid = 0;
    char where[64] = "";
    const bool writes = std::sscanf(std::string(line).c_str(), "%*s POSIX %*s WRITE %d %63s", &pid, where) == 2;
    if (writes && where == place && pid > 0 && pid != getpid()) return pid;
  }
  return 0;
}

// SQLite locks the shared memory of a store, or the store itself where there is none.
std::string locker_words(const std::string& path) {
  for (const char* end : {"-shm", ""})
    if (const int pid = locker_of(path + end); pid > 0) {
      const auto name = read_file_if_there(fmt::format("/proc/{}/comm", pid)).value_or("a program\n");
      return fmt::format("{} (process {})", name.substr(0, name.find('\n')), pid);
    }
  return "another program";
}

}  // namespace

LockWait::~LockWait() {
  if (tells_) one_tells = false;
}

double LockWait::after(const Busy& busy, const Store& store, double patience_s) {
  constexpr double longest_s = 1;
  if (waited_s_ >= patience_s) throw busy;
  if (waited_s_ >= next_notice_s_) {
    if (!tells_) tells_ = !std::exchange(one_tells, true);
    if (tells_)
      notify(fmt::format("{}waiting for {}, which {} has locked{}", next_notice_s_ > 1 ? "still " : "", store.path(),
                         locker_words(store.path()),
                         next_notice_s_ > 1 ? fmt::format(": {:.0f} min", waited_s_ / 60) : ""));
    next_notice_s_ += kNoticeEvery_s;
  }
  const double wait_s = std::clamp(waited_s_ / 4, 0.02, longest_s);
  waited_s_ += wait_s;
  return wait_s;
}

}  // namespace reg::store
