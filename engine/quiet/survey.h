#pragma once

#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/quiet/machine.h"

namespace reg::quiet {

/// What of this machine makes timings noisy: what reg.quiet can change, as it reads it.
std::vector<Finding> survey(const Machine& machine);

/// The settings that numbers depend on, for their record; only those that the kernel shows.
struct Fact {
  const char* name;
  std::string value;
};
std::vector<Fact> facts(const Machine& machine);

}  // namespace reg::quiet
