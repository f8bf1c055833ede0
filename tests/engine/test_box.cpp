// Each attempt in a process of its own: what enters the box cannot leave it.

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstring>

#include "engine/box/box.h"
#include "tests/support/unit.h"

namespace {

using Act = std::function<long()>;

constexpr mode_t kAsOwner = S_ISUID | 0755, kWithGroup = S_ISGID | 0755;
constexpr int kFchmodat2 = 452, kSetxattrat = 463;

// 0, or the errno of what was attempted in the folder by a process that called `enter` before.
int attempt(const std::string& folder, const std::function<void()>& enter, const Act& act) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::chdir(folder.c_str()) != 0) ::_exit(254);
    enter();
    errno = 0;
    ::_exit(act() >= 0 ? 0 : errno == 0 ? 255 : errno);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

// The same of a process that may make no set-id files, if `held`.
int attempt(const TempFolder& folder, bool held, const Act& act) {
  const box::Landlock limit({{"/"}, {"/"}, {}});
  const auto enter = [&] {
    if (held && !limit.enter()) ::_exit(254);
  };
  return attempt(folder.path(), enter, act);
}

long io_uring() {
  io_uring_params parameters{};
  return ::syscall(SYS_io_uring_setup, 1, &parameters);
}

std::map<std::string, Act> ways(mode_t mode) {
  return {{"open", [=] { return ::open("new", O_WRONLY | O_CREAT, mode); }},
          {"openat", [=] { return ::syscall(SYS_openat, AT_FDCWD, "new", O_RDWR | O_CREAT | O_EXCL, mode); }},
          {"a file without a name", [=] { return ::open(".", O_WRONLY | O_TMPFILE, mode); }},
          {"creat", [=] { return ::creat("new", mode); }},
          {"mknod", [=] { return ::mknod("new", S_IFREG | mode, 0); }},
          {"mknodat", [=] { return ::mknodat(AT_FDCWD, "new", S_IFREG | mode, 0); }},
          {"openat2", [=] {
             const std::uint64_t how[] = {O_WRONLY | O_CREAT, mode, 0};  // linux/openat2.h
             return ::syscall(SYS_openat2, AT_FDCWD, "new", &how, sizeof how);
           }}};
}

std::map<std::string, Act> changes(mode_t mode) {
  const auto made = [] { return ::open("new", O_WRONLY | O_CREAT, 0755); };
  return {{"chmod", [=] { return ::close(made()), ::chmod("new", mode); }},
          {"fchmod", [=] { return ::fchmod(made(), mode); }},
          {"fchmodat", [=] { return ::close(made()), ::fchmodat(AT_FDCWD, "new", mode, 0); }}};
}

}  // namespace

// tests/lua/test_attacks_hole.lua tries what an attacker would, in the whole sandbox; these need the filter.
TEST_CASE("box: the filter takes system calls away", "[box]") {
  const TempFolder folder;
  write_file(folder / "file", "old");
  const auto tried = [&](const Act& act) {
    return attempt(
        folder.path(), [] { box::enter_filter(box::filter_of(::getpid())); }, act);
  };
  const std::map<std::string, Act> refused{
      {"execveat", [] { return ::syscall(SYS_execveat, AT_FDCWD, "/bin/true", nullptr, nullptr, 0); }},
      {"netlink", [] { return ::socket(AF_NETLINK, SOCK_RAW, 0); }},
      {"open O_TRUNC to read", [] { return ::open("file", O_RDONLY | O_TRUNC); }},
      {"chown", [] { return ::chown("file", ::getuid(), ::getgid()); }},
      {"ptrace", [] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
      {"fchmod", [] { return ::fchmod(::open("file", O_RDONLY), 0777); }},
      {"setxattr", [] { return ::setxattr("file", "user.x", "y", 1, 0); }},
      {"unshare", [] { return ::unshare(CLONE_NEWUSER); }},
      {"TIOCSTI of 64 bits", [] { return ::syscall(SYS_ioctl, 0, 0x100000000 | TIOCSTI, "x"); }},
  };
  for (const auto& [name, act] : refused) {
    INFO(name);
    CHECK(tried(act) == EPERM);
  }
  CHECK(tried(io_uring) == ENOSYS);
  CHECK(tried([] { return ::syscall(kSetxattrat, AT_FDCWD, "file", 0, "user.x", nullptr, 0); }) == ENOSYS);
  for (const mode_t bit : {S_ISUID, S_ISGID})
    for (const char* way : {"open", "creat", "a file without a name"}) CHECK(tried(ways(0700 | bit).at(way)) == EPERM);
  CHECK(read_file(folder / "file") == "old");
  CHECK(tried([] { return ::open("file", O_WRONLY | O_TRUNC); }) == 0);
}

TEST_CASE("set-id: no new file runs as its owner or with its group", "[box]") {
  for (const mode_t mode : {kAsOwner, kWithGroup, mode_t{S_ISUID}})
    for (const auto& [name, way] : ways(mode)) {
      INFO(name << ", mode " << std::oct << mode);
      const TempFolder folder, free;
      CHECK(attempt(folder, true, way) == (name == "openat2" ? ENOSYS : EPERM));
      CHECK(attempt(free, false, way) == 0);
    }
}

TEST_CASE("set-id: no file becomes one that runs as its owner", "[box]") {
  const TempFolder folder;
  for (const auto& [name, change] : changes(kAsOwner)) {
    INFO(name);
    CHECK(attempt(folder, true, change) == EPERM);
    CHECK(attempt(folder, false, change) == 0);
  }
  // These take their arguments from memory, or are too new for libseccomp.
  CHECK(attempt(folder, true, [] { return ::syscall(kFchmodat2, AT_FDCWD, "new", kAsOwner, 0); }) == ENOSYS);
  CHECK(attempt(folder, true, io_uring) == ENOSYS);
}

TEST_CASE("set-id: ordinary modes, and folders that give their group, stay", "[box]") {
  for (const mode_t mode : {mode_t{0644}, mode_t{0755}, mode_t{S_ISVTX | 0777}})
    for (const auto& [name, way] : ways(mode)) {
      INFO(name << ", mode " << std::oct << mode);
      CHECK(attempt(TempFolder(), true, way) == (name == "openat2" ? ENOSYS : 0));
    }
  const TempFolder folder;
  for (const mode_t mode : {mode_t{0600}, kWithGroup})
    for (const auto& [name, change] : changes(mode)) CHECK(attempt(folder, true, change) == 0);
  // Without O_CREAT the mode is whatever was in the register.
  CHECK(attempt(folder, true, [] { return ::syscall(SYS_openat, AT_FDCWD, "new", O_RDONLY, kAsOwner); }) == 0);
}

#ifdef __x86_64__
TEST_CASE("set-id: programs of 32 bits neither", "[box]") {
  const TempFolder folder;
  // chmod of i386, by its number
  const auto change = [](int mode) {
    constexpr std::size_t kPage = 4096;
    void* low = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    std::strcpy(static_cast<char*>(low), "new");
    ::close(::open("new", O_WRONLY | O_CREAT, 0755));
    long result = 0;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(15), "b"(low), "c"(mode) : "memory");
    errno = result < 0 ? static_cast<int>(-result) : 0;
    return result;
  };
  if (attempt(folder, false, [&] { return change(kAsOwner); }) != 0) {
    WARN("SKIPPED: this kernel runs no programs of 32 bits");
    return;
  }
  CHECK(attempt(folder, true, [&] { return change(kAsOwner); }) == EPERM);
  CHECK(attempt(folder, true, [&] { return change(0700); }) == 0);
}
#endif
