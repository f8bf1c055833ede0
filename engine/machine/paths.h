#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/file.h"

namespace reg::machine {

/// The kernel's files for the settings that make timings noisy.
struct SystemPaths {
  std::string root;  ///< replaces "/": "" on a real machine, a folder with the same layout in the tests

  std::string cpu() const { return root + "/sys/devices/system/cpu"; }
  std::string latency() const { return root + "/dev/cpu_dma_latency"; }
};

/// The paths of this machine, or below the folder that $REGENGINE_SYSFS names.
SystemPaths this_machine();

/// Throws permission unless the path, links resolved, is a file that a Tuning writes (tuning.h). A journal that names
/// another one is not believed: whoever may write one gains no more than a setting that was permitted anyway.
void check_setting(const std::string& path);

/// The first line of a file, trimmed; "" if the file cannot be read.
std::string value_of(const std::string& path);

/// The CPUs of the NUMA node that the device at this PCI address is attached to, "00000000:01:00.0" as the NVIDIA
/// driver writes it; {} if the kernel does not say.
std::vector<int> cpus_near(const SystemPaths& paths, const std::string& pci);

/// Parses "0-3,8", the format of the kernel and taskset, into ascending numbers. Throws usage for anything else.
std::vector<int> parse_cpus(const std::string& text);

/// {0, 1, 2, 3, 8} as "0-3,8".
std::string format_cpus(const std::vector<int>& cpus);

/// The current state of one setting that can make timings noisy.
struct Finding {
  std::string what;     ///< "CPU governor"
  bool quiet = false;   ///< nothing to do
  std::string words;    ///< the current state and what it means
  std::string command;  ///< the command that makes it quiet; "" if none does
};

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
