#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/machine/paths.h"

namespace reg::machine {

/// A file of the kernel that holds one value.
struct Setting {
  std::string path;
  std::string was;     ///< what it held when it was read
  std::string wanted;  ///< what it must hold
};

/// One thing that can be set on the machine, read and not yet changed: all its files, or why there are none.
struct Knob {
  std::string measure;  ///< "governor", "turbo"
  std::string wanted;   ///< for people: "performance", "off"
  std::vector<Setting> settings;
  std::string why_not;                                     ///< why it is not supported here; "" where it is
  std::string command;                                     ///< what somebody who may would type
  std::vector<std::pair<std::string, std::string>> names;  ///< values that people say otherwise: "1" of no_turbo, "off"

  bool is_set() const;                                ///< every file holds what is wanted
  std::string was() const;                            ///< the different values for people, with commas
  std::string target() const;                         ///< the same of what is wanted
  std::string words(const std::string& value) const;  ///< a file's value for people
};

Knob governor(const SystemPaths& machine, const std::string& wanted);
/// The lowest frequency raised to the highest that is allowed.
Knob lowest_frequency(const SystemPaths& machine);
Knob turbo(const SystemPaths& machine, bool on);
/// Two threads a core.
Knob smt(const SystemPaths& machine, bool on);

}  // namespace reg::machine
