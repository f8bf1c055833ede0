#include "engine/container/oom.h"

#include <string>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/process/oom.h"

namespace reg::container {

std::int64_t oom_kills(int pid) {
  if (pid <= 0) return 0;
  const auto groups = read_file_if_there("/proc/" + std::to_string(pid) + "/cgroup");
  if (!groups) return 0;
  std::int64_t count = 0;
  for (const auto line : lines(*groups)) {  // "4:memory:/docker/abc" (version 1), "0::/docker/abc" (version 2)
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::string group(line.substr(parts[0].size() + parts[1].size() + 2));
    if (parts[1] == "memory") count += process::oom_kills_in("/sys/fs/cgroup/memory" + group + "/memory.oom_control");
    if (parts[1].empty()) count += process::oom_kills_in("/sys/fs/cgroup" + group + "/memory.events");
  }
  return count;
}

}  // namespace reg::container
