// Each attempt in a process of its own: what enters the box cannot leave it.

#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/box/seccomp.h"
#include "tests/support/catch.h"

using namespace reg;

namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() {
    fs::create_directories(path);
    write_file(path / "file", "old");
  }
  ~Folder() { fs::remove_all(path); }

  fs::path path = fs::temp_directory_path() / ("regengine-box-" + random_id());
};

// 0, or the errno of what was attempted in a process that called `enter` before.
int attempt(const std::function<void()>& enter, const std::function<bool()>& act) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    enter();
    errno = 0;
    ::_exit(act() ? 0 : errno == 0 ? 255 : errno);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("box: the filter takes system calls away", "[box]") {
  const Folder folder;
  const std::string file = folder.path / "file";
  const auto refused = [](const std::function<bool()>& act) {
    return attempt([] { box::enter_filter(box::filter_of(::getpid())); }, act);
  };

  CHECK(refused([] { return ::execl("/bin/true", "true", nullptr) == 0; }) == EPERM);
  CHECK(refused([] { return ::syscall(SYS_execveat, AT_FDCWD, "/bin/true", nullptr, nullptr, 0) == 0; }) == EPERM);
  CHECK(refused([] { return ::fork() >= 0; }) == EPERM);
  CHECK(refused([] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }) == EPERM);
  CHECK(refused([] { return ::socket(AF_INET, SOCK_DGRAM, 0) >= 0; }) == EPERM);
  CHECK(refused([] { return ::socket(AF_NETLINK, SOCK_RAW, 0) >= 0; }) == EPERM);
  CHECK(refused([&] { return ::truncate(file.c_str(), 0) == 0; }) == EPERM);
  CHECK(refused([&] { return Fd(::open(file.c_str(), O_RDONLY | O_TRUNC | O_CLOEXEC)).get() >= 0; }) == EPERM);
  CHECK(refused([&] { return ::chmod(file.c_str(), 0777) == 0; }) == EPERM);
  CHECK(refused([&] {
          const Fd open = open_file(file, O_RDONLY);
          return ::fchmod(open.get(), 0777) == 0;
        }) == EPERM);
  CHECK(refused([&] { return ::chown(file.c_str(), ::getuid(), ::getgid()) == 0; }) == EPERM);
  CHECK(refused([&] { return ::setxattr(file.c_str(), "user.x", "y", 1, 0) == 0; }) == EPERM);
  CHECK(refused([&] { return ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0) == 0; }) == EPERM);
  CHECK(refused([] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }) == EPERM);
  CHECK(refused([] { return ::kill(::getppid(), 0) == 0; }) == EPERM);
  CHECK(refused([] { return ::kill(-1, 0) == 0; }) == EPERM);
  CHECK(refused([] { return ::unshare(CLONE_NEWUSER) == 0; }) == EPERM);
  CHECK(refused([] { return ::syscall(SYS_mount, "none", "/mnt", "tmpfs", 0, nullptr) == 0; }) == EPERM);
  CHECK(refused([] { return ::ioctl(0, TIOCSTI, "x") == 0; }) == EPERM);
  CHECK(refused([] { return ::syscall(SYS_ioctl, 0, 0x100000000 | TIOCSTI, "x") == 0; }) == EPERM);
  CHECK(refused([] {
          io_uring_params parameters{};
          return ::syscall(SYS_io_uring_setup, 1, &parameters) >= 0;
        }) == ENOSYS);
  constexpr long kSetxattrat = 463;
  CHECK(refused([&] { return ::syscall(kSetxattrat, AT_FDCWD, file.c_str(), 0, "user.x", nullptr, 0) == 0; }) ==
        ENOSYS);
  for (const mode_t bit : {S_ISUID, S_ISGID}) {
    const std::string made = folder.path / "made";
    CHECK(refused([&] { return Fd(::open(made.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0700 | bit)).get() >= 0; }) ==
          EPERM);
    CHECK(refused([&] { return Fd(::creat(made.c_str(), 0700 | bit)).get() >= 0; }) == EPERM);
    CHECK(refused([&] { return Fd(::open(folder.path.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, bit)).get() >= 0; }) ==
          EPERM);
  }
  CHECK(read_file(file) == "old");

  // What the engine itself needs.
  CHECK(refused([] {
          bool ran = false;
          std::thread([&] { ran = true; }).join();
          return ran;
        }) == 0);
  CHECK(refused([&] { return Fd(::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)).get() >= 0; }) == 0);
  CHECK(refused([] { return ::kill(::getpid(), 0) == 0 && ::raise(0) == 0; }) == 0);
  CHECK(refused([] { return Fd(::memfd_create("x", MFD_CLOEXEC)).get() >= 0; }) == 0);
  CHECK(refused([&] { return ::rename(file.c_str(), (file + "2").c_str()) == 0; }) == 0);
}
