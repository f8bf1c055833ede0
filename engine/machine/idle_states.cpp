#include "engine/machine/idle_states.h"

#include <fcntl.h>

#include <array>
#include <filesystem>

namespace reg::machine {

std::string idle_states_missing(const SystemPaths& machine) {
  const std::string driver = value_of(machine.cpu() + "/cpuidle/current_driver");
  if (driver.empty() || driver == "none") return "the kernel steers no idle states here, as in most virtual machines";
  std::error_code error;
  if (!std::filesystem::exists(machine.latency(), error)) return "there is no " + machine.latency() + " here";
  return "";
}

Fd hold_idle_states(const SystemPaths& machine) {
  Fd file = open_file(machine.latency(), O_WRONLY);
  constexpr std::array<char, 4> kNoLatency{};  // a 32-bit number of microseconds
  write_all(file.get(), {kNoLatency.data(), kNoLatency.size()}, machine.latency());
  return file;
}

}  // namespace reg::machine
