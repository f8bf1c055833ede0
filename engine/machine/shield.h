#pragma once

#include <string>
#include <vector>

#include "engine/machine/paths.h"
#include "engine/restore/ledger.h"

namespace reg::machine {

/// CPUs that the kernel reserves for one control group (version 2, a "partition"): processes outside it run elsewhere.
/// Interrupts and per-CPU kernel threads stay.
struct Shield {
  std::string folder;   ///< the control group, not created yet
  std::string back;     ///< the control group of this process
  std::string cpus;     ///< "2-7"
  std::string why_not;  ///< why it is not supported here; "" if it is
  std::string command;  ///< the command for a user with the necessary rights: shields their shell and its children
};

Shield shield(const SystemPaths& paths, const std::vector<int>& cpus);

/// Creates the group, which is removed with the result. Throws if it cannot be created or does not become a partition.
restore::Change raise_shield(const Shield& shield, restore::Ledger& ledger);

/// The kind of entry for a created control group: the target is its folder, the value the folder of the group that its
/// remaining processes move to.
constexpr const char* kControlGroup = "control group";
restore::Undo remove_control_group(const restore::Entry& entry);

}  // namespace reg::machine
