#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/guard/policy.h"
#include "engine/machine/paths.h"
#include "engine/restore/ledger.h"

namespace reg::machine {

/// The current state of every setting that makes timings noisy and that reg.machine.tune can change.
std::vector<Finding> survey(const SystemPaths& paths);

/// The settings that measurements depend on, for their record; only those that the kernel exposes.
std::map<std::string, std::string> facts(const SystemPaths& paths);

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

/// Measures against noise; an absent one leaves the setting unchanged.
struct Wanted {
  std::optional<std::string> governor;
  bool lowest_frequency = false;  ///< raise the minimum frequency to the maximum
  std::optional<bool> turbo;
  std::optional<bool> smt;      ///< two threads per core
  bool no_idle_states = false;  ///< keep the CPUs out of deep idle states
  // Of commands that run meanwhile. Whoever starts them applies these.
  std::vector<int> cpus;  ///< CPU affinity; {} = unchanged
  std::map<std::string, std::string> env;
};

/// What was tuned. It is restored when this is gone at the latest, whatever happens to the process (engine/restore).
struct Tuning {
  std::vector<Measure> record;
  Wanted for_commands;  ///< what commands can be started with
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

}  // namespace reg::machine
