#include "engine/container/oom.h"

#include <charconv>
#include <string>

#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::container {
namespace {

// The number in the line "oom_kill N" of such a file.
std::int64_t count_in(const std::string& path) {
  constexpr std::string_view key = "oom_kill ";
  const auto text = read_file_if_there(path);
  if (!text) return 0;
  for (const auto line : lines(*text)) {
    std::int64_t count = 0;
    if (line.substr(0, key.size()) != key) continue;
    std::from_chars(line.data() + key.size(), line.data() + line.size(), count);
    return count;
  }
  return 0;
}

}  // namespace

std::int64_t oom_kills(int pid) {
  if (pid <= 0) return 0;
  const auto groups = read_file_if_there("/proc/" + std::to_string(pid) + "/cgroup");
  if (!groups) return 0;
  std::int64_t count = 0;
  for (const auto line : lines(*groups)) {  // "4:memory:/docker/abc" (version 1), "0::/docker/abc" (version 2)
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::string group(line.substr(parts[0].size() + parts[1].size() + 2));
    if (parts[1] == "memory") count += count_in("/sys/fs/cgroup/memory" + group + "/memory.oom_control");
    if (parts[1].empty()) count += count_in("/sys/fs/cgroup" + group + "/memory.events");
  }
  return count;
}

std::int64_t oom_kills_of_machine() { return count_in("/proc/vmstat"); }

}  // namespace reg::container
