#pragma once

#include <string>
#include <vector>

#include "engine/machine/finding.h"
#include "engine/machine/paths.h"

namespace reg::machine {

/// The current state of every setting that makes timings noisy and that reg.machine.tune can change.
std::vector<Finding> survey(const SystemPaths& paths);

/// The settings that measurements depend on, for their record; only those that the kernel exposes.
struct Fact {
  const char* name;
  std::string value;
};
std::vector<Fact> facts(const SystemPaths& paths);

}  // namespace reg::machine
