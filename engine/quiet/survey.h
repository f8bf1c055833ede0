#pragma once

#include <string>
#include <vector>

#include "engine/quiet/machine.h"

namespace reg::quiet {

/// One source of noise as it is now.
struct Finding {
  std::string what;     ///< "CPU governor"
  bool quiet = false;   ///< nothing to do
  std::string words;    ///< how it is, and what that means
  std::string command;  ///< what would make it quiet; "" where there is nothing to type
};

/// What of this machine makes timings noisy: what reg.quiet can change, as it reads it.
std::vector<Finding> survey(const Machine& machine);

/// The settings that numbers depend on, for their record; only those that the kernel shows.
struct Fact {
  const char* name;
  std::string value;
};
std::vector<Fact> facts(const Machine& machine);

}  // namespace reg::quiet
