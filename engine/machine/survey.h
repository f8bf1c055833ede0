#pragma once

#include <string>
#include <vector>

#include "engine/machine/finding.h"
#include "engine/machine/paths.h"

namespace reg::machine {

/// What of this machine makes timings noisy: what reg.machine.tune can change, as it reads it.
std::vector<Finding> survey(const SystemPaths& machine);

/// The settings that numbers depend on, for their record; only those that the kernel shows.
struct Fact {
  const char* name;
  std::string value;
};
std::vector<Fact> facts(const SystemPaths& machine);

}  // namespace reg::machine
