#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/file.h"
#include "engine/guard/policy.h"
#include "engine/machine/paths.h"
#include "engine/restore/ledger.h"

namespace reg::machine {

/// A kernel file that holds one value.
struct Setting {
  std::string path;
  std::string was;     ///< the value when it was read
  std::string wanted;  ///< the value to write
};

/// One setting of the machine, read but not yet changed: all its files, or why it is not supported.
struct Knob {
  std::string measure;  ///< "governor", "turbo"
  std::string wanted;   ///< for display: "performance", "off"
  std::vector<Setting> settings;
  std::string why_not;                                     ///< why it is not supported here; "" if it is
  std::string command;                                     ///< the command for a user with the necessary rights
  std::vector<std::pair<std::string, std::string>> names;  ///< display names of values: {"1", "off"} for no_turbo

  bool is_set() const;                                ///< every file already holds the wanted value
  std::string was() const;                            ///< the distinct values for display, separated by commas
  std::string target() const;                         ///< the same for the wanted values
  std::string words(const std::string& value) const;  ///< a file's value for display
};

Knob governor(const SystemPaths& paths, const std::string& wanted);
/// The minimum frequency raised to the maximum.
Knob lowest_frequency(const SystemPaths& paths);
Knob turbo(const SystemPaths& paths, bool on);
/// Two threads per core.
Knob smt(const SystemPaths& paths, bool on);

/// Why the CPUs' idle states cannot be controlled here; "" if they can.
std::string idle_states_missing(const SystemPaths& paths);

/// Keeps the CPUs out of every idle state with a wake-up latency while the result is open. The kernel ends that itself,
/// however this process ends. Throws permission or io.
Fd hold_idle_states(const SystemPaths& paths);

/// The command for a user with the necessary rights.
constexpr const char* kHoldIdleStates = "sudo cpupower idle-set --disable-by-latency 0";

/// The result of one measure against noise.
struct Measure {
  std::string measure;  ///< "governor", "turbo", "env"
  std::string wanted;
  std::string was;             ///< the value before
  std::string now = was;       ///< the value after, read back from the system
  std::string state = "done";  ///< or "refused": this process lacks the rights; "not supported": no such setting here
  std::string why = {};        ///< why it is not done
  std::string command = {};    ///< the command that does it, if it was refused, for a user who has the rights
};

/// The settings for commands that run while a Tuning lasts. Whoever starts the commands must apply them.
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

/// The requested measures against noise; an absent one leaves the setting unchanged.
struct Wanted {
  std::optional<std::string> governor;
  bool lowest_frequency = false;  ///< raise the minimum frequency to the maximum
  std::optional<bool> turbo;
  std::optional<bool> smt;
  bool no_idle_states = false;  ///< keep the CPUs out of deep idle states
  std::vector<int> cpus;        ///< CPU affinity of the commands; {} = unchanged
  bool cpus_near_gpu = false;   ///< the same, with the CPUs of the GPU's NUMA node
  std::vector<int> shield;      ///< CPUs reserved for the commands; {} = none
  std::optional<int> nice;
  bool fixed_addresses = false;
  std::map<std::string, std::string> env;
};

/// What was tuned. It is restored when this is gone at the latest, whatever happens to the process (engine/restore). It
/// starts no commands: whoever does applies `for_commands`.
struct Tuning {
  std::vector<Measure> record;
  ForCommands for_commands;
  /// Restores everything, the last change first. Returns the failures as "what: why"; the guardian retries those.
  std::function<std::vector<std::string>()> restore;
};

/// Tunes the machine for steady timings, as far as this process may. It tries each measure; none of them makes it fail,
/// and the record has the result of each. `ledger` is called only if something is to be changed. Throws only what the
/// Guard throws.
Tuning tune(const SystemPaths& paths, const Wanted& wanted, Guard& guard,
            const std::function<restore::Ledger&()>& ledger);

/// From now on another process does that for this one, which may not itself, but in a dry run; nullptr ends that.
void tune_elsewhere(std::function<Tuning(const Wanted&)> tune);

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
