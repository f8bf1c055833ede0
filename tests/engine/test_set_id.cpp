// Each attempt in a process of its own: what may call chmod makes no file that runs as its owner.

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "engine/base/file.h"
#include "engine/box/seccomp.h"
#include "tests/support/catch.h"

using namespace reg;

namespace {

constexpr mode_t kAsOwner = S_ISUID | 0755, kWithGroup = S_ISGID | 0755;
constexpr int kFchmodat2 = 452;
const std::string kPlace = std::filesystem::temp_directory_path() / "regengine-set-id-";

struct OpenHow {  // linux/openat2.h
  std::uint64_t flags, mode, resolve;
};

// 0, or the errno of what was attempted in `folder`.
int attempt(const std::string& folder, bool held, const std::function<long()>& act) {
  const box::NoSetId limit;
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::chdir(folder.c_str()) != 0) ::_exit(254);
    if (held && (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !limit.enter())) ::_exit(254);
    errno = 0;
    ::_exit(act() >= 0 ? 0 : errno);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

std::map<std::string, std::function<long()>> ways(mode_t mode) {
  return {{"open", [=] { return ::open("new", O_WRONLY | O_CREAT, mode); }},
          {"openat", [=] { return ::syscall(SYS_openat, AT_FDCWD, "new", O_RDWR | O_CREAT | O_EXCL, mode); }},
          {"a file without a name", [=] { return ::open(".", O_WRONLY | O_TMPFILE, mode); }},
          {"creat", [=] { return ::creat("new", mode); }},
          {"mknod", [=] { return ::mknod("new", S_IFREG | mode, 0); }},
          {"mknodat", [=] { return ::mknodat(AT_FDCWD, "new", S_IFREG | mode, 0); }},
          {"openat2", [=] {
             const OpenHow how{O_WRONLY | O_CREAT, mode, 0};
             return ::syscall(SYS_openat2, AT_FDCWD, "new", &how, sizeof how);
           }}};
}

std::map<std::string, std::function<long()>> changes(mode_t mode) {
  const auto made = [] { return ::open("new", O_WRONLY | O_CREAT, 0755); };
  return {{"chmod", [=] { return ::close(made()), ::chmod("new", mode); }},
          {"fchmod", [=] { return ::fchmod(made(), mode); }},
          {"fchmodat", [=] { return ::close(made()), ::fchmodat(AT_FDCWD, "new", mode, 0); }}};
}

}  // namespace

TEST_CASE("set-id: no new file runs as its owner or with its group", "[box]") {
  for (const mode_t mode : {kAsOwner, kWithGroup, mode_t{S_ISUID}})
    for (const auto& [name, way] : ways(mode)) {
      INFO(name << ", mode " << std::oct << mode);
      const TemporaryFolder folder(kPlace), free(kPlace);
      CHECK(attempt(folder.path(), true, way) == (name == "openat2" ? ENOSYS : EPERM));
      CHECK(attempt(free.path(), false, way) == 0);
    }
}

TEST_CASE("set-id: no file becomes one that runs as its owner", "[box]") {
  const TemporaryFolder folder(kPlace);
  for (const auto& [name, change] : changes(kAsOwner)) {
    INFO(name);
    CHECK(attempt(folder.path(), true, change) == EPERM);
    CHECK(attempt(folder.path(), false, change) == 0);
  }
  // These take their arguments from memory, or are too new for libseccomp.
  CHECK(attempt(folder.path(), true, [] { return ::syscall(kFchmodat2, AT_FDCWD, "new", kAsOwner, 0); }) == ENOSYS);
  CHECK(attempt(folder.path(), true, [] {
          io_uring_params asked{};
          return ::syscall(SYS_io_uring_setup, 1, &asked);
        }) == ENOSYS);
}

TEST_CASE("set-id: ordinary modes, and folders that give their group, stay", "[box]") {
  for (const mode_t mode : {mode_t{0644}, mode_t{0755}, mode_t{S_ISVTX | 0777}})
    for (const auto& [name, way] : ways(mode)) {
      INFO(name << ", mode " << std::oct << mode);
      const TemporaryFolder folder(kPlace);
      CHECK(attempt(folder.path(), true, way) == (name == "openat2" ? ENOSYS : 0));
    }
  const TemporaryFolder folder(kPlace);
  for (const mode_t mode : {mode_t{0600}, kWithGroup})
    for (const auto& [name, change] : changes(mode)) CHECK(attempt(folder.path(), true, change) == 0);
  // Without O_CREAT the mode is whatever was in the register.
  CHECK(attempt(folder.path(), true, [] { return ::syscall(SYS_openat, AT_FDCWD, "new", O_RDONLY, kAsOwner); }) == 0);
}

#ifdef __x86_64__
TEST_CASE("set-id: programs of 32 bits neither", "[box]") {
  const TemporaryFolder folder(kPlace);
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
  const int free = attempt(folder.path(), false, [&] { return change(kAsOwner); });
  if (free != 0) {
    WARN("SKIPPED: this kernel runs no programs of 32 bits");
    return;
  }
  CHECK(attempt(folder.path(), true, [&] { return change(kAsOwner); }) == EPERM);
  CHECK(attempt(folder.path(), true, [&] { return change(0700); }) == 0);
}
#endif
