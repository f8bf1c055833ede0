#pragma once

#include <string>
#include <vector>

#include "engine/machine/paths.h"
#include "engine/restore/ledger.h"

namespace reg::machine {

/// Processors that the kernel gives to one control group alone (version 2, a "partition"): whatever is in no group
/// below it runs elsewhere. Interrupts and the kernel's own threads of a processor stay.
struct Shield {
  std::string folder;   ///< the control group, which is not there yet
  std::string back;     ///< the one that this process is in
  std::string cpus;     ///< "2-7"
  std::string why_not;  ///< why it is not supported here; "" where it is
  std::string command;  ///< what somebody who may would type, for their shell and all it starts
};

Shield shield(const SystemPaths& machine, const std::vector<int>& cpus);

/// Makes the group, which goes with the result. Throws when it cannot be made, or the kernel shields nothing by it.
restore::Change raise_shield(const Shield& shield, restore::Ledger& ledger);

/// The kind of deed that makes a control group: the target is its folder, the value that of the group which those
/// that are still in it go to.
constexpr const char* kControlGroup = "control group";
restore::Undo remove_control_group(const restore::Deed& deed);

}  // namespace reg::machine
