#include "engine/process/oom.h"

#include <charconv>

#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::process {

std::int64_t oom_kills_in(const std::string& path) {
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

std::int64_t oom_kills_of_machine() { return oom_kills_in("/proc/vmstat"); }

}  // namespace reg::process
