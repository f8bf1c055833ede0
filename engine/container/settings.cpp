#include "engine/container/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <regex>
#include <utility>

#include "engine/base/text.h"

namespace reg::container {
namespace {

namespace fs = std::filesystem;

// "host" needs a permission of its own (checks.cpp). "container:NAME", "ns:PATH", "slirp4netns:OPTIONS" and the like
// reach into other containers or into this machine.
void check_network(const std::string& network) {
  if (network.find_first_of(":/, =") == std::string::npos) return;
  throw Error(ErrorKind::permission, "refused the network '" + printable(network) + "'",
              "Use none, bridge, host, or the name of a network.");
}

// docker and podman refuse these, too, but only once the image was pulled.
void check_memory(const std::string& text) {
  constexpr double kLeast = 6.0 * 1024 * 1024;
  const auto unit = std::string_view("bkmg").find(static_cast<char>(std::tolower(text.back())));
  const int power = unit == std::string_view::npos ? 0 : 10 * static_cast<int>(unit);
  if (std::ldexp(std::stod(text), power) < kLeast)
    throw Error(ErrorKind::usage, "a memory limit must be at least 6m: '" + text + "'", "Write it as 512m or 8g.");
}

void check_ulimit(const std::string& text) {
  const std::string values = text.substr(text.find('=') + 1);
  const auto limits = split(values, ':');
  const double soft = std::stod(std::string(limits.front()));
  const double hard = std::stod(std::string(limits.back()));
  if (hard != -1 && (soft == -1 || soft > hard))
    throw Error(ErrorKind::usage, "the soft limit is above the hard limit: '" + text + "'",
                "Write the soft limit first: NAME=SOFT:HARD.");
}

void check_device(const std::string& text) {
  const std::string device = text.substr(0, text.find(':'));
  std::error_code ignored;
  if (device.starts_with('/') && !fs::exists(device, ignored))
    throw Error(ErrorKind::usage, "no such device on this machine: '" + printable(device) + "'",
                "List them with: ls /dev");
}

void check_capability(const std::string& text) {
  constexpr std::string_view kNames =
      "ALL AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF CHECKPOINT_RESTORE CHOWN DAC_OVERRIDE "
      "DAC_READ_SEARCH FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE MKNOD "
      "NET_ADMIN NET_BIND_SERVICE NET_BROADCAST NET_RAW PERFMON SETFCAP SETGID SETPCAP SETUID SYSLOG SYS_ADMIN "
      "SYS_BOOT SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME "
      "SYS_TTY_CONFIG WAKE_ALARM";
  std::string name = text;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  if (name.starts_with("CAP_")) name.erase(0, 4);
  if (!has_word(kNames, name))
    throw Error(ErrorKind::usage, "no such capability: '" + printable(text) + "'" + did_you_mean(name, words(kNames)),
                "Write its name as in capabilities(7), such as SYS_PTRACE.");
}

std::string name_of(const std::string& ulimit) { return ulimit.substr(0, ulimit.find('=')); }

// 8 GB, or half of the machine's memory if that is less.
std::string default_shared_memory() {
  constexpr std::int64_t enough = std::int64_t{8} << 30;
  const std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::to_string(memory > 0 ? std::min(enough, memory / 2) : enough) + "b";
}

}  // namespace

const std::vector<Setting>& settings() {
  constexpr bool kOnHost = true, kContainer = false, kGrants = true, kHarmless = false;
  // An index, the UUID of a GPU, or an instance (MIG) by its UUID or as "GPU:INSTANCE".
  static const std::string gpu = "(GPU-[A-Za-z0-9-]+|MIG-[A-Za-z0-9/-]+|[0-9]+(:[0-9]+)?)";
  static const std::string size = "(?=.*[1-9])[0-9]{1,15}[bkmgBKMG]?", how_size = "Write it as 512m or 8g.";
  static const std::vector<Setting> all{
      {"gpus", "gpus", "VALUE", "GPUs to use: all, or indexes (0,1), UUIDs or MIG instances (0:1)", &Spec::gpus,
       "all|" + gpu + "(," + gpu + ")*",
       "Write \"all\", indexes such as \"0,1\", or UUIDs as nvidia-smi -L prints them.", nullptr, kOnHost},
      {"network", "network", "VALUE", "network of the container, such as host or none", &Spec::network, ".*", "",
       check_network},
      {"shm_size", "shm-size", "SIZE",
       "size of /dev/shm, such as 16g; unless given, 8g, or half of the memory if that is less", &Spec::shm_size, size,
       how_size},
      {"ipc", "ipc", "MODE", "IPC namespace of the container: private, none or host", &Spec::ipc, "private|none|host",
       "Choose one of: private, none, host", nullptr, kContainer, kGrants, R"("private"|"none"|"host")"},
      {"ulimits", "ulimit", "NAME=SOFT[:HARD]",
       "resource limit, such as nofile=4096; -1 for unlimited; unless given, memlock=-1, stack=67108864",
       &Spec::ulimits,
       "(core|cpu|data|fsize|locks|memlock|msgqueue|nice|nofile|nproc|rss|rtprio|rttime|sigpending|stack)="
       "(-1|[0-9]{1,18})(:(-1|[0-9]{1,18}))?",
       "Write it as memlock=-1 (no limit), or nofile=1024:4096 for a soft and a hard limit.", check_ulimit},
      {"devices", "device", "DEVICE", "device of this machine, such as /dev/fuse or /dev/a:/dev/b:rw, or a CDI device",
       &Spec::devices, "[A-Za-z0-9.-]+/[A-Za-z0-9._-]+=[A-Za-z0-9._:-]+|/[^:]*(:/[^:]*(:[rwm]+)?)?",
       "Write it as /dev/fuse, /dev/fuse:/dev/inside:rw, or a CDI name such as nvidia.com/gpu=0.", check_device,
       kContainer, kGrants},
      {"cap_add", "cap-add", "NAME", "capability to add, such as SYS_PTRACE", &Spec::cap_add, ".*", "",
       check_capability, kContainer, kGrants},
      {"user", "user", "USER", "user in the container: NAME, UID or UID:GID", &Spec::user,
       "[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)?", "Write it as NAME, UID or UID:GID."},
      {"memory", "memory", "SIZE", "memory limit of the container, such as 24g", &Spec::memory, size, how_size,
       check_memory},
      {"cpus", "cpus", "N", "limit of the container's CPU time, in CPUs, such as 2.5", &Spec::cpus,
       "(?=[0-9]*[1-9]|[0-9]+[.]0?[1-9])[0-9]{1,6}([.][0-9]{1,6})?",
       "Write it as 4 or 2.5: CPU time per second of time.", nullptr, kContainer, kHarmless, "string|number"},
      {"workdir", "workdir", "PATH", "folder to start in; for a checkout relative to it", &Spec::cwd, ".+",
       "Write a path.", nullptr, kOnHost},
      {"entrypoint", "entrypoint", "PROGRAM", "program to start in place of the image's entrypoint; '' for none",
       &Spec::entrypoint, ".*", ""},
  };
  return all;
}

void Setting::check(const std::string& text) const {
  if (!text.empty()) check_word(text, "the value");
  constexpr std::size_t longest = 1024;  // the library matches by recursion
  if (text.size() > longest || !std::regex_match(text, std::regex(form)))
    throw Error(ErrorKind::usage, "not a valid value: '" + printable(text) + "'", otherwise);
  if (check_more != nullptr) check_more(text);
}

std::vector<std::string> Setting::of(const Spec& spec) const {
  if (is_list()) return spec.*std::get<std::vector<std::string> Spec::*>(field);
  if (const auto* text = std::get_if<std::string Spec::*>(&field))
    return (spec.**text).empty() ? std::vector<std::string>{} : std::vector<std::string>{spec.**text};
  const auto& text = spec.*std::get<std::optional<std::string> Spec::*>(field);
  return text ? std::vector<std::string>{*text} : std::vector<std::string>{};
}

void Setting::set(Spec& spec, std::vector<std::string> values) const {
  if (is_list())
    spec.*std::get<std::vector<std::string> Spec::*>(field) = std::move(values);
  else if (const auto* text = std::get_if<std::string Spec::*>(&field))
    spec.** text = values.empty() ? "" : values.front();
  else if (!values.empty())
    spec.*std::get<std::optional<std::string> Spec::*>(field) = values.front();
}

void check_setting(std::string_view name, const std::string& value) {
  const auto setting = std::ranges::find(settings(), name, &Setting::name);
  if (setting == settings().end())
    throw Error(ErrorKind::usage, "not a setting of containers: '" + std::string(name) + "'");
  setting->check(value);
}

Spec Defaults::applied_to(Spec spec) const {
  if (shared_memory_ && spec.shm_size.empty() && (spec.ipc.empty() || spec.ipc == "private"))
    spec.shm_size = default_shared_memory();
  const std::vector<std::string> given = spec.ulimits;
  for (const std::string& ulimit : ulimits_)
    if (std::none_of(given.begin(), given.end(), [&](const auto& one) { return name_of(one) == name_of(ulimit); }))
      spec.ulimits.push_back(ulimit);
  return spec;
}

bool Defaults::refused(std::string_view message) {
  if (message.find("rlimit") != std::string_view::npos && !ulimits_.empty()) {
    ulimits_.erase(ulimits_.begin());
    return true;
  }
  return message.find("cannot set shmsize") != std::string_view::npos && std::exchange(shared_memory_, false);
}

}  // namespace reg::container
