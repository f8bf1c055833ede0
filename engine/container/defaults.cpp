#include "engine/container/defaults.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace reg::container {
namespace {

std::string name_of(const std::string& ulimit) { return ulimit.substr(0, ulimit.find('=')); }

// 8 GB, or half of the machine's memory if that is less.
std::string shm_size() {
  constexpr std::int64_t enough = std::int64_t{8} << 30;
  const std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::to_string(memory > 0 ? std::min(enough, memory / 2) : enough) + "b";
}

}  // namespace

Spec Defaults::applied_to(Spec spec) const {
  if (shm_size_ && spec.shm_size.empty() && (spec.ipc.empty() || spec.ipc == "private")) spec.shm_size = shm_size();
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
  return message.find("cannot set shmsize") != std::string_view::npos && std::exchange(shm_size_, false);
}

}  // namespace reg::container
