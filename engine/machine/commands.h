#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/machine/measure.h"
#include "engine/machine/paths.h"

namespace reg::machine {

/// What the commands get that run while a Tuning lives. Whoever starts commands must see to it.
struct ForCommands {
  std::map<std::string, std::string> env;
  std::vector<int> cpus;        ///< they run on these; {} = on all that the engine may use
  std::string group;            ///< the folder of the control group that they join; "" = they stay in the engine's
  std::vector<int> group_cpus;  ///< the processors of that group
  std::optional<int> nice;
  bool fixed_addresses = false;  ///< the kernel gives them the same address layout each time
};

// Each says whether such commands could be started, and how it is without. Nothing is changed: it is tried on a thread
// that ends at once.
Measure try_cpus(const std::vector<int>& cpus);
Measure try_nice(int nice);
Measure try_fixed_addresses(const SystemPaths& machine);

}  // namespace reg::machine
