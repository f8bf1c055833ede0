#include "engine/gpu/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace reg::gpu {
namespace {

// Another user may create the file between two attempts, and it is open to all only a moment later.
constexpr int kOpenings = 100;
constexpr useconds_t kBetween_us = 1000;

// The same folder for every user, so it is chosen by its mode and not by who asks: some systems let only root write to
// /run/lock.
const char* folder() {
  struct stat found {};
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  const bool shared =
      ::stat("/run/lock", &found) == 0 && S_ISDIR(found.st_mode) && (found.st_mode & kShared) == kShared;
  return shared ? "/run/lock" : "/tmp";
}

// In a world-writable folder the kernel lets only the owner open an existing file with O_CREAT, hence two attempts.
Fd open_or_create(const std::string& path) {
  Fd existing(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (existing || errno != ENOENT) return existing;
  Fd created(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  if (created) static_cast<void>(::fchmod(created.get(), 0666));  // whatever the umask
  return created;
}

}  // namespace

LockFile LockFile::open(const std::string& name) {
  LockFile file;
  file.path_ = fmt::format("{}/regengine-{}.lock", folder(), name);
  for (int i = 0; i < kOpenings && !file.file_; ++i) {
    if (i > 0) ::usleep(kBetween_us);
    file.file_ = open_or_create(file.path_);
    if (!file.file_ && errno != EACCES && errno != ENOENT) break;
  }
  struct stat found {};
  const bool plain = file.file_ ? ::fstat(file.file_.get(), &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink < 2
                                : errno != ELOOP;
  // The pid would be written over what a link leads to.
  if (!plain)
    throw Error(ErrorKind::permission, "not a plain file: " + file.path_,
                "Find out who made it (ls -l), and remove it.");
  return file;
}

// The file may have been removed, and another one made, after it was opened.
bool LockFile::is_current() const {
  struct stat open {
  }, named{};
  return ::fstat(file_.get(), &open) == 0 && ::stat(path_.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

bool LockFile::lock(int how) {
  while (::flock(file_.get(), how | LOCK_NB) == 0) {
    if (is_current()) return true;
    file_ = open_or_create(path_);
    if (!file_) throw system_error(path_, errno);
  }
  return false;
}

bool LockFile::take() {
  if (!lock(LOCK_EX)) return false;
  const std::string own = fmt::format("{}\n", ::getpid());
  // For messages only, so it may fail: a full disk does not stop a measurement.
  [[maybe_unused]] const bool written =
      ::ftruncate(file_.get(), 0) == 0 && ::pwrite(file_.get(), own.data(), own.size(), 0) > 0;
  return true;
}

bool LockFile::share() { return lock(LOCK_SH); }

pid_t LockFile::holder() const {
  const std::string text = read_file_if_there(path_).value_or("");
  const std::string_view digits = trim(text);
  pid_t pid = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), pid);
  return read.ec == std::errc{} && read.ptr == digits.data() + digits.size() && pid > 0 ? pid : 0;
}

}  // namespace reg::gpu
