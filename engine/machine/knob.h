#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/file.h"
#include "engine/machine/paths.h"

namespace reg::machine {

/// A kernel file that holds one value.
struct Setting {
  std::string path;
  std::string was;     ///< the value when it was read
  std::string wanted;  ///< the value to write
};

/// One setting of the machine, read but not yet changed: all its files, or why it is not supported.
struct Knob {
  std::string measure;  ///< "governor", "turbo"
  std::string wanted;   ///< for display: "performance", "off"
  std::vector<Setting> settings;
  std::string why_not;                                     ///< why it is not supported here; "" if it is
  std::string command;                                     ///< the command for a user with the necessary rights
  std::vector<std::pair<std::string, std::string>> names;  ///< display names of values: {"1", "off"} for no_turbo

  bool is_set() const;                                ///< every file already holds the wanted value
  std::string was() const;                            ///< the distinct values for display, separated by commas
  std::string target() const;                         ///< the same for the wanted values
  std::string words(const std::string& value) const;  ///< a file's value for display
};

Knob governor(const SystemPaths& paths, const std::string& wanted);
/// The minimum frequency raised to the maximum.
Knob lowest_frequency(const SystemPaths& paths);
Knob turbo(const SystemPaths& paths, bool on);
/// Two threads per core.
Knob smt(const SystemPaths& paths, bool on);

/// Why the CPUs' idle states cannot be controlled here; "" if they can.
std::string idle_states_missing(const SystemPaths& paths);

/// Keeps the CPUs out of every idle state with a wake-up latency while the result is open. The kernel ends that itself,
/// however this process ends. Throws permission or io.
Fd hold_idle_states(const SystemPaths& paths);

/// The command for a user with the necessary rights.
constexpr const char* kHoldIdleStates = "sudo cpupower idle-set --disable-by-latency 0";

}  // namespace reg::machine
