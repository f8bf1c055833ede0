#include "bindings/program/box_reach.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "engine/base/file.h"
#include "engine/guard/trust_store.h"

namespace reg {
namespace {

namespace fs = std::filesystem;

// Of /etc and /proc only what the engine and its libraries read.
const std::vector<std::string> kMachine{"/usr",
                                        "/lib",
                                        "/lib32",
                                        "/lib64",
                                        "/bin",
                                        "/sbin",
                                        "/opt",
                                        "/sys",
                                        "/etc/ld.so.cache",
                                        "/etc/localtime",
                                        "/etc/passwd",
                                        "/etc/nsswitch.conf",
                                        "/etc/os-release",
                                        "/etc/machine-id",
                                        "/etc/hostname",
                                        "/etc/terminfo",
                                        "/proc/self",
                                        "/proc/sys",
                                        "/proc/cpuinfo",
                                        "/proc/meminfo",
                                        "/proc/stat",
                                        "/proc/loadavg",
                                        "/proc/uptime",
                                        "/proc/version",
                                        "/proc/vmstat",
                                        "/proc/locks",
                                        "/proc/mounts",
                                        "/proc/filesystems",
                                        "/proc/driver"};

const std::vector<std::string> kDevices{"/dev/null",   "/dev/zero",    "/dev/full",
                                        "/dev/random", "/dev/urandom", "/dev/tty"};

// The program, and the libraries beside it.
void add_own_files(std::vector<std::string>& read) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  read.push_back(program);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(program.parent_path(), ignored))
    if (entry.path().filename().string().find("regengine") != std::string::npos) read.push_back(entry.path());
  read.push_back(program.parent_path().parent_path() / "lib" / "regengine");
  // Which modules the user trusts.
  if (const std::string state = user_trust_store().folder(); !state.empty()) read.push_back(state + "/trusted");
  // Libraries in unusual places, which the user named.
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto at = text.find("=/");
    if (text.starts_with("REGENGINE_") && at != std::string_view::npos) read.emplace_back(text.substr(at + 1));
  }
}

// A script outside the current folder, and the modules that lie beside it or one folder below: no other files there.
void add_script(const std::string& script, std::vector<std::string>& read) {
  const fs::path file = real_path(script);
  if (script == "-" || lies_in(file.string(), real_path("."))) return;
  constexpr int kMost = 1000;
  read.push_back(file);
  std::error_code ignored;
  fs::recursive_directory_iterator at(file.parent_path(), ignored), end;
  for (int i = 0; i < kMost && at != end; ++i, at.increment(ignored)) {
    if (at.depth() > 0) at.disable_recursion_pending();
    if (at->path().extension() == ".lua") read.push_back(at->path());
  }
}

// The file or folder that the pattern of an absolute path is about.
std::string place_of(std::string pattern) {
  const auto star = pattern.find('*');
  if (star != std::string::npos) return pattern.substr(0, pattern.rfind('/', star) + 1);
  std::error_code ignored;
  return fs::exists(pattern, ignored) ? pattern : fs::path(pattern).parent_path().string();
}

}  // namespace

box::Reach reach_of_engine(const Patterns& permitted, const Invocation& invocation) {
  box::Reach reach{kMachine, {real_path(".")}, kDevices};
  add_own_files(reach.read);
  add_script(invocation.script, reach.read);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/dev", ignored))
    if (entry.path().filename().string().starts_with("nvidia")) reach.devices.push_back(entry.path());
  if (const auto files = permitted.all().find(EffectKind::files); files != permitted.all().end()) {
    constexpr std::string_view kReadOnly = ":ro";
    for (const std::string& pattern : files->second) {
      if (!pattern.starts_with('/')) continue;
      if (pattern.ends_with(kReadOnly))
        reach.read.push_back(place_of(pattern.substr(0, pattern.size() - kReadOnly.size())));
      else
        reach.write.push_back(place_of(pattern));
    }
  }
  reach.read.insert(reach.read.end(), invocation.read.begin(), invocation.read.end());
  reach.write.insert(reach.write.end(), invocation.write.begin(), invocation.write.end());
  return reach;
}

}  // namespace reg
