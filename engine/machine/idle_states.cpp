#include "engine/machine/idle_states.h"

#include <fcntl.h>

#include <array>
#include <filesystem>

namespace reg::machine {

std::string idle_states_missing(const SystemPaths& paths) {
  const std::string driver = value_of(paths.cpu() + "/cpuidle/current_driver");
  if (driver.empty() || driver == "none") return "the kernel has no cpuidle driver here (as in most virtual machines)";
  std::error_code error;
  if (!std::filesystem::exists(paths.latency(), error)) return "no such device: " + paths.latency();
  return "";
}

Fd hold_idle_states(const SystemPaths& paths) {
  Fd file = open_file(paths.latency(), O_WRONLY);
  constexpr std::array<char, 4> kNoLatency{};  // a 32-bit number of microseconds
  write_all(file.get(), {kNoLatency.data(), kNoLatency.size()}, paths.latency());
  return file;
}

}  // namespace reg::machine
