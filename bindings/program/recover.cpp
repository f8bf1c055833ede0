#include "bindings/program/recover.h"

#include <fmt/format.h>

#include "bindings/nouns/ledger.h"
#include "engine/base/file.h"
#include "engine/terminal/console.h"

namespace reg {
int run_recover(Guard& guard) {
  if (!guard.admit({EffectKind::machine, "recover: restore what killed engines had changed", {}})) return 0;
  const restore::Recovered recovered = restore::recover(state_folder(), change_kinds());
  for (const restore::Entry& entry : recovered.undone)
    terminal::console().write_out(fmt::format("restored      {}\n", change_title(entry)));
  for (const auto& [entry, why] : recovered.failed)
    terminal::console().write_out(fmt::format("not restored  {}: {}\n", change_title(entry), why));
  if (recovered.undone.empty() && recovered.failed.empty()) terminal::console().write_out("nothing to restore\n");
  return recovered.failed.empty() ? 0 : 1;
}

int run_guardian(const std::string& journal) {
  if (!restore::started_as_guardian(journal)) {
    terminal::console().write_err("regengine: --guardian is for internal use only\n");
    return 2;
  }
  restore::serve(Fd(restore::kGuardianSocket), restore::Journal(Fd(restore::kGuardianJournal), journal),
                 change_kinds());
  return 0;
}

}  // namespace reg
