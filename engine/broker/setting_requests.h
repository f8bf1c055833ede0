#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/broker/wire.h"
#include "engine/gpu/device.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"
#include "engine/machine/commands.h"
#include "engine/process/command.h"
#include "engine/restore/ledger.h"

namespace reg::broker {

/// The broker's side of the GPUs and the machine's settings: it locks clocks, tunes the machine, holds leases and
/// watches the GPUs. What it changed is restored when the boxed engine asks for that or ends, and by the guardian when
/// this process ends.
class SettingRequests {
 public:
  SettingRequests(Loop& loop, Policy& policy, std::function<restore::Ledger&()> ledger);

  /// Rejects with permission what the policy refuses, and with usage what is not valid.
  Op<Json> handle(Json request);

  /// Throws permission for conditions of a command that only a permitted tuning gives.
  void check(const process::Conditions& conditions) const;

 private:
  /// What the boxed engine holds, by a number. `end` restores it; the result is the answer.
  struct Held {
    std::function<Json()> end;
    machine::ForCommands given = {};
  };

  Json lock(const Json& asked);
  Json monitor(const Json& asked);
  Json tune(const Json& asked);
  Json end(std::uint64_t number);
  std::uint64_t keep(Held held);
  void check_room() const;
  std::vector<gpu::Device> gpus_of(const Json& asked);
  const std::shared_ptr<gpu::Nvml>& nvml();

  Loop& loop_;
  Guard guard_;
  std::function<restore::Ledger&()> ledger_;
  std::shared_ptr<gpu::Nvml> nvml_;
  std::map<std::uint64_t, Held> held_;
  std::uint64_t last_ = 0;
};

}  // namespace reg::broker
