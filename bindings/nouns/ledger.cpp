#include "bindings/nouns/ledger.h"

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/container/runtimes.h"
#include "engine/gpu/lock.h"
#include "engine/machine/paths.h"
#include "engine/machine/shield.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

// Of settings that regengine changes alone: journals of dead engines are files, and whoever wrote one may have named
// any other.
template <restore::Undo (*undo)(const restore::Entry&)>
restore::Undo of_setting(const restore::Entry& entry) {
  machine::check_setting(entry.target);
  if (entry.kind == machine::kControlGroup) machine::check_control_group(entry.value);
  return undo(entry);
}

}  // namespace

restore::Kinds change_kinds() {
  return {{"file", of_setting<restore::rewrite_file>},
          {container::kContainers, container::remove_containers},
          {machine::kControlGroup, of_setting<machine::remove_control_group>},
          {gpu::kSmClocks, gpu::reset_sm_clocks},
          {gpu::kMemoryClocks, gpu::reset_memory_clocks}};
}

std::string change_title(const restore::Entry& entry) {
  if (entry.kind == gpu::kSmClocks) return "SM clock of " + entry.target;
  if (entry.kind == gpu::kMemoryClocks) return "memory clock of " + entry.target;
  if (entry.kind == container::kContainers) return "no containers of " + entry.target;
  return entry.target;
}

namespace {

void say_at_start(const restore::Recovered& recovered) {
  std::vector<std::string> undone;
  for (const restore::Entry& entry : recovered.undone) undone.push_back(change_title(entry));
  if (!undone.empty())
    terminal::console().write_err("restored the changes of a regengine that was killed: " + join(undone, ", ") + "\n");
  for (const auto& [entry, why] : recovered.failed)
    terminal::console().write_err(fmt::format(
        "warning: cannot restore {}, which a regengine that was killed had changed: {}\n", change_title(entry), why));
}

}  // namespace

restore::Ledger& machine_ledger() {
  static restore::Ledger ledger(state_folder(), change_kinds(), restore::this_program_again());
  static const bool recovered = (say_at_start(ledger.recover()), true);
  static_cast<void>(recovered);
  return ledger;
}

}  // namespace reg
