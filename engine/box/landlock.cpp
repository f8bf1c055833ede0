#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>

#include "engine/base/error.h"
#include "engine/box/box.h"

namespace reg::box {
namespace {

// Debian 12's headers end at version 2, so the numbers are here: linux/landlock.h.
enum : std::uint64_t {
  kExecute = 1U << 0,
  kWriteFile = 1U << 1,
  kReadFile = 1U << 2,
  kReadFolder = 1U << 3,
  kMakeDevice = (1U << 6) | (1U << 11),
  kAllOfVersion1 = (1U << 13) - 1,
  kRefer = 1U << 13,
  kTruncateFile = 1U << 14,
  kControlDevice = 1U << 15,
};
constexpr std::uint64_t kScopes = 3;  // abstract sockets, signals
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncateFile | kControlDevice;

// What root keeps. Other capabilities load code into the kernel, mount, trace, or open files by their handles.
constexpr std::array kKept{CAP_CHOWN,  CAP_DAC_OVERRIDE,     CAP_FOWNER,   CAP_FSETID,   CAP_KILL,        CAP_SETGID,
                           CAP_SETUID, CAP_NET_BIND_SERVICE, CAP_IPC_LOCK, CAP_SYS_NICE, CAP_SYS_RESOURCE};
constexpr int kEndOfCapabilities = 64;

struct Rules {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};

std::uint64_t rights_of_version(int version) {
  std::uint64_t rights = kAllOfVersion1;
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncateFile;
  if (version >= 5) rights |= kControlDevice;
  return rights;
}

namespace fs = std::filesystem;

bool is_readable(const fs::file_status& status) {
  const fs::perms needed =
      fs::is_directory(status) ? fs::perms::others_read | fs::perms::others_exec : fs::perms::others_read;
  return fs::exists(status) && (status.permissions() & needed) == needed;
}

// A folder is public if all in it is; of another one, `found` gets the parts that are. Passwords and private keys lie
// between files that every program needs: root would read them all. Links count where they lead, so they are looked at
// only where they have to be named.
bool is_public(const fs::path& path, std::vector<std::string>& found) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!is_readable(status)) return false;
  if (!fs::is_directory(status)) return true;
  std::vector<std::string> parts, links;
  bool all = true;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->is_symlink(failed))
      links.push_back(entry->path());
    else if (is_public(entry->path(), parts))
      parts.push_back(entry->path());
    else
      all = false;
  }
  if (all) return true;
  found.insert(found.end(), parts.begin(), parts.end());
  std::copy_if(links.begin(), links.end(), std::back_inserter(found),
               [&](const std::string& link) { return is_readable(fs::status(link, failed)); });
  return false;
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

Landlock::Landlock(const Reach& reach, bool of_program) : filter_(of_program ? &filter_against_set_id() : nullptr) {
  const int version = landlock_version();
  if (version == 0)
    throw Error(ErrorKind::unavailable, "this kernel has no Landlock", "It has been in Linux since 5.13.");
  const std::uint64_t all = rights_of_version(version);
  const Rules rules{all, 0, version >= 6 ? kScopes : 0};
  rules_ = Fd(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0)));
  if (!rules_) throw system_error("landlock_create_ruleset", errno);
  const std::uint64_t readable = kExecute | kReadFile | kReadFolder;
  for (const std::string& path : reach.read) permit(path, all & readable);
  for (const std::string& path : reach.write) permit(path, all & ~(kMakeDevice | kControlDevice));
  for (const std::string& path : reach.devices)
    permit(path, all & (kReadFile | kWriteFile | kReadFolder | kControlDevice));
}

void Landlock::permit(const std::string& path, std::uint64_t rights) const {
  const Fd opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!opened && (errno == ENOENT || errno == EACCES || errno == ENOTDIR)) return;
  struct stat found {};
  if (!opened || ::fstat(opened.get(), &found) != 0) throw system_error(path, errno);
  const landlock_path_beneath_attr rule{S_ISDIR(found.st_mode) ? rights : rights & kOfFiles, opened.get()};
  if (::syscall(SYS_landlock_add_rule, rules_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
    throw system_error("landlock_add_rule " + path, errno);
}

bool Landlock::enter() const noexcept {
  // Fails for everybody but root, who alone has them.
  for (int number = 0; number < kEndOfCapabilities; ++number)
    if (std::find(kKept.begin(), kKept.end(), number) == kKept.end()) ::prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
  // Without the flag kernels before 5.16 slow down the programs that are measured.
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_landlock_restrict_self, rules_.get(), 0) == 0 &&
         (filter_ == nullptr || enter_instructions(*filter_, SECCOMP_FILTER_FLAG_SPEC_ALLOW));
}

std::vector<std::string> gpu_devices() {
  std::vector<std::string> found{"/dev/dri", "/dev/kfd", "/dev/dxg"};
  for (const std::string& device : entries("/dev"))
    if (device.starts_with("/dev/nvidia")) found.push_back(device);
  return found;
}

const Reach& reach_of_programs() {
  static const Reach reach = [] {
    Reach all{{"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/opt", "/nix/store", "/sys", "/proc"},
              {"/dev/shm"},
              gpu_devices()};
    if (is_public("/etc", all.read)) all.read.emplace_back("/etc");
    for (const char* device : {"null", "zero", "full", "random", "urandom", "tty"})
      all.devices.push_back(std::string("/dev/") + device);
    return all;
  }();
  return reach;
}

}  // namespace reg::box
