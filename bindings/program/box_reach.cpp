#include "bindings/program/box_reach.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/box/reach.h"
#include "engine/guard/bounds.h"
#include "engine/guard/trust_store.h"
#include "engine/process/sandbox.h"

namespace reg {
namespace {

namespace fs = std::filesystem;

// Of /etc and /proc only what the engine and its libraries read.
constexpr std::string_view kMachine =
    "/usr /lib /lib32 /lib64 /bin /sbin /opt /sys /etc/ld.so.cache /etc/localtime /etc/passwd /etc/nsswitch.conf "
    "/etc/os-release /etc/machine-id /etc/hostname /etc/terminfo /proc/self /proc/sys /proc/cpuinfo /proc/meminfo "
    "/proc/stat /proc/loadavg /proc/uptime /proc/version /proc/vmstat /proc/locks /proc/mounts /proc/filesystems "
    "/proc/driver";

constexpr std::string_view kDevices = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom";

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
    if (at->path().extension() == ".lua" && at->symlink_status(ignored).type() == fs::file_type::regular)
      read.push_back(at->path());
  }
}

}  // namespace

void make_new_files(const Patterns& permitted) {
  const auto files = permitted.all().find(EffectKind::files);
  if (files == permitted.all().end()) return;
  for (const std::string& pattern : files->second)
    if (pattern.starts_with('/') && pattern.find('*') == std::string::npos && !pattern.ends_with(":ro"))
      const Fd made(::open(pattern.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
}

box::Reach reach_of_engine(const Patterns& permitted, const Invocation& invocation) {
  box::Reach reach{words(kMachine), {real_path(".")}, words(kDevices)};
  add_own_files(reach.read);
  add_script(invocation.script, reach.read);
  const std::vector<std::string> gpus = box::gpu_devices();
  reach.devices.insert(reach.devices.end(), gpus.begin(), gpus.end());
  Bounds bounds;
  const std::string state = user_trust_store().folder();
  bounds.add(permitted, process::sandbox_here().home, state.empty() ? "" : real_path(state));
  reach.read.insert(reach.read.end(), bounds.read.begin(), bounds.read.end());
  reach.write.insert(reach.write.end(), bounds.write.begin(), bounds.write.end());
  reach.read.insert(reach.read.end(), invocation.read.begin(), invocation.read.end());
  return reach;
}

}  // namespace reg
