#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/machine/paths.h"

namespace reg::machine {

enum class State {
  done,           ///< the setting has the wanted value
  refused,        ///< this process lacks the rights: `command` is for a user who has them
  not_supported,  ///< this machine has no such setting
};

/// The result of one measure against noise.
struct Measure {
  std::string measure;  ///< "governor", "turbo", "env"
  std::string wanted;
  State state = State::done;
  std::string was;      ///< the value before
  std::string now;      ///< the value after, read back from the system
  std::string why;      ///< why it is not done
  std::string command;  ///< the command that does it, if it was refused
};

const char* to_string(State state);

/// The settings for commands that run while a Tuning exists. Whoever starts the commands must apply them.
struct ForCommands {
  std::map<std::string, std::string> env;
  std::vector<int> cpus;        ///< CPU affinity; {} = all CPUs the engine may use
  std::string group;            ///< the folder of the control group that they join; "" = the engine's own
  std::vector<int> group_cpus;  ///< the CPUs of that group
  std::optional<int> nice;
  bool fixed_addresses = false;  ///< no address space layout randomization
};

// Each reports the current value and whether commands can be started with the new one. Nothing is changed: the value is
// tried on a thread that ends at once.
Measure try_cpus(const std::vector<int>& cpus);
Measure try_nice(int nice);
Measure try_fixed_addresses(const SystemPaths& paths);

}  // namespace reg::machine
