#include "engine/process/oom.h"

#include <unistd.h>

#include <charconv>

#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::process {
namespace {

// The number in the line "oom_kill N"; nullopt where there is none.
std::optional<std::int64_t> oom_kills_in(const std::string& path) {
  constexpr std::string_view key = "oom_kill ";
  const auto text = read_file_if_there(path);
  if (!text) return std::nullopt;
  for (const auto line : lines(*text)) {
    std::int64_t count = 0;
    if (line.substr(0, key.size()) != key) continue;
    std::from_chars(line.data() + key.size(), line.data() + line.size(), count);
    return count;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> oom_kills_beside(int pid) {
  const auto groups = read_file_if_there("/proc/" + std::to_string(pid) + "/cgroup");
  if (pid <= 0 || !groups) return std::nullopt;
  std::optional<std::int64_t> sum;
  for (const auto line : lines(*groups)) {  // "4:memory:/docker/abc" (version 1), "0::/docker/abc" (version 2)
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::string group(line.substr(parts[0].size() + parts[1].size() + 2));
    std::optional<std::int64_t> count;
    if (parts[1] == "memory") count = oom_kills_in("/sys/fs/cgroup/memory" + group + "/memory.oom_control");
    if (parts[1].empty()) count = oom_kills_in("/sys/fs/cgroup" + group + "/memory.events");
    if (count) sum = sum.value_or(0) + *count;
  }
  return sum;
}

OomKills oom_kills(const std::string& group) {
  const auto count = group.empty() ? oom_kills_beside(::getpid()) : oom_kills_in(group + "/memory.events");
  if (count) return {*count, false};
  return {oom_kills_in("/proc/vmstat").value_or(0), true};
}

}  // namespace reg::process
