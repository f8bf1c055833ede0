#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/machine/paths.h"

namespace reg::machine {

/// The current state of one setting that can make timings noisy.
struct Finding {
  std::string what;     ///< "CPU governor"
  bool quiet = false;   ///< nothing to do
  std::string words;    ///< the current state and what it means
  std::string command;  ///< the command that makes it quiet; "" if there is none
};

/// The current state of every setting that makes timings noisy and that reg.machine.tune can change.
std::vector<Finding> survey(const SystemPaths& paths);

/// The settings that measurements depend on, for their record; only those that the kernel exposes.
std::map<std::string, std::string> facts(const SystemPaths& paths);

/// How busy and how warm the machine is, for the record of a trial; only what the kernel exposes.
struct Load {
  std::optional<double> average;  ///< of the last minute, in processes
  std::optional<double> cpu_c;    ///< temperature of the first processor
  /// Seconds since boot in which a process waited for a CPU; absent where the kernel does not count them.
  std::optional<double> crowded_s;
};

/// The file with the temperature of the first processor; "" if the machine has none.
std::string cpu_sensor(const SystemPaths& paths);

/// `sensor`: from cpu_sensor().
Load load(const SystemPaths& paths, const std::string& sensor);

}  // namespace reg::machine
