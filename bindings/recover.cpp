#include "bindings/recover.h"

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/gpu/lock.h"
#include "engine/quiet/shield.h"
#include "engine/report/console.h"

namespace reg {
namespace {

// Every kind of change that there is, and how it is undone: the engine, its guardian and the next start must agree.
restore::Kinds all_kinds() {
  return {{"file", restore::rewrite_file},
          {quiet::kControlGroup, quiet::remove_control_group},
          {gpu::kSmClocks, gpu::reset_sm_clocks},
          {gpu::kMemoryClocks, gpu::reset_memory_clocks}};
}

std::string words(const restore::Deed& deed) {
  if (deed.kind == gpu::kSmClocks) return "SM clock of " + deed.target;
  if (deed.kind == gpu::kMemoryClocks) return "memory clock of " + deed.target;
  return deed.target;
}

void say_at_start(const restore::Recovered& recovered) {
  std::vector<std::string> undone;
  for (const restore::Deed& deed : recovered.undone) undone.push_back(words(deed));
  if (!undone.empty())
    report::console().write_err("put back what an engine that was killed had changed: " + join(undone, ", ") + "\n");
  for (const auto& [deed, why] : recovered.failed)
    report::console().write_err(fmt::format(
        "warning: an engine that was killed had changed {}, which cannot be put back: {}\n", words(deed), why));
}

}  // namespace

restore::Ledger& machine_ledger() {
  static restore::Ledger ledger(state_folder(), all_kinds(), restore::this_program_again());
  static const bool recovered = (say_at_start(ledger.recover()), true);
  static_cast<void>(recovered);
  return ledger;
}

int run_recover(Guard& guard) {
  if (!guard.admit({EffectKind::machine, "recover: put back what engines that were killed had changed", {}})) return 0;
  const restore::Recovered recovered = restore::recover(state_folder(), all_kinds());
  for (const restore::Deed& deed : recovered.undone)
    report::console().write_out(fmt::format("put back    {}\n", words(deed)));
  for (const auto& [deed, why] : recovered.failed)
    report::console().write_out(fmt::format("not put back {}: {}\n", words(deed), why));
  if (recovered.undone.empty() && recovered.failed.empty()) report::console().write_out("nothing to put back\n");
  return recovered.failed.empty() ? 0 : 1;
}

int run_guardian(const std::string& journal) {
  if (!restore::started_as_guardian(journal)) {
    report::console().write_err("regengine: --guardian is for the engine itself: it starts one with each change\n");
    return 2;
  }
  restore::serve(Fd(restore::kGuardianSocket), restore::Journal(Fd(restore::kGuardianJournal), journal), all_kinds());
  return 0;
}

}  // namespace reg
