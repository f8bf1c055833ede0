#pragma once

#include <optional>
#include <string>

#include "engine/machine/paths.h"

namespace reg::machine {

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
