#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/guard/policy.h"
#include "engine/machine/commands.h"
#include "engine/machine/knob.h"
#include "engine/restore/ledger.h"

namespace reg::machine {

/// The measures against noise that are asked for; what is absent is left as it is.
struct Wanted {
  std::optional<std::string> governor;
  bool lowest_frequency = false;  ///< raised to the highest
  std::optional<bool> turbo;
  std::optional<bool> smt;
  bool no_idle_states = false;  ///< processors do not fall into deep sleep
  std::vector<int> cpus;        ///< for the commands; {} = leave them
  bool cpus_near_gpu = false;   ///< the same, for the node of the GPU
  std::vector<int> shield;      ///< processors for nothing but the commands; {} = none
  std::optional<int> nice;
  bool fixed_addresses = false;
  std::map<std::string, std::string> env;
};

/// The machine made quiet, as far as this process may: each measure is tried when this is made, none of them fails it,
/// and the record says what came of each. What was changed goes back to what it was when this goes, whatever happens to
/// the process (engine/restore). It starts no commands: whoever does asks for_commands().
class Tuning {
 public:
  /// `ledger` is asked for only when something is to be changed. Throws only what the Guard throws.
  Tuning(const SystemPaths& machine, const Wanted& wanted, Guard& guard,
         const std::function<restore::Ledger&()>& ledger);
  ~Tuning() { put_back(); }
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  const std::vector<Measure>& record() const { return record_; }
  const ForCommands& for_commands() const { return for_commands_; }

  /// Puts everything back, the last change first. What cannot be, as "what: why": the guardian will try on.
  std::vector<std::string> put_back();

 private:
  void turn(const Knob& knob);
  void hold_idle_states();
  bool admit(Measure& measure, const std::string& what);
  std::string change(const Knob& knob);
  void place(std::vector<int> cpus);
  void shield_off(std::vector<int> cpus);

  SystemPaths machine_;
  Guard& guard_;
  std::function<restore::Ledger&()> ledger_;
  std::vector<Measure> record_;
  ForCommands for_commands_;
  std::vector<restore::Change> changes_;
  Fd idle_states_;
};

}  // namespace reg::machine
