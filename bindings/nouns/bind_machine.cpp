#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/container/runtimes.h"
#include "engine/gpu/lock.h"
#include "engine/machine/paths.h"
#include "engine/machine/tuning.h"
#include "engine/terminal/console.h"

namespace reg::lua {
namespace {

using machine::Tuning;

// The open tunings, newest first. They are restored at the end of the script at the latest, in this order.
using Live = std::vector<std::shared_ptr<Tuning>>;

Live& live(lua_State* L) { return *Vm::of(L).only<Live>(); }

machine::Wanted wanted_from(lua_State* L, const Options& options) {
  machine::Wanted wanted;
  REG_GET(options, wanted, governor, turbo, smt, env);
  if (const auto lowest = options.text("min_freq")) {
    if (*lowest != "max") throw misuse(L, "'min_freq' must be \"max\", not '" + *lowest + "'");
    wanted.lowest_frequency = true;
  }
  wanted.no_idle_states = options.has("c_states") && !options.flag("c_states");
  if (const auto cpus = options.text("cpus")) wanted.cpus = machine::parse_cpus(*cpus);
  for (const auto& [name, value] : wanted.env)
    if (name.empty() || name.find_first_of(std::string("=\0", 2)) != std::string::npos ||
        value.find('\0') != std::string::npos)
      throw misuse(L, "not a valid environment variable: '" + name + "'");
  return wanted;
}

std::shared_ptr<Tuning> open(lua_State* L, const Options& options) {
  const machine::Wanted wanted = wanted_from(L, options);
  auto made =
      std::make_shared<Tuning>(machine::tune(machine::this_machine(), wanted, Vm::of(L).guard(), machine_ledger));
  live(L).insert(live(L).begin(), made);
  return made;
}

int record(lua_State* L, const Tuning& tuning) {
  return push_list(L, tuning.record, [](lua_State* state, const machine::Measure& measure) {
    REG_PUSH(state, measure, measure, wanted, state);
    REG_SET_SOME(state, measure, was, now, why, command);
  });
}

std::vector<std::string> restore(lua_State* L) {
  const auto closed = std::move(object_slot<Tuning>(L));
  std::erase(live(L), closed);
  return closed ? closed->restore() : std::vector<std::string>{};
}

auto facts() { return machine::facts(machine::this_machine()); }

// What a trial's record says of the machine: its host, and how busy and warm it is.
int state(lua_State* L) {
  const machine::SystemPaths paths = machine::this_machine();
  static const std::string sensor = machine::cpu_sensor(paths);
  const machine::Load load = machine::load(paths, sensor);
  REG_PUSH(L, load, crowded_s, cpu_c);
  set(L, "host", host_name());
  set(L, "load", load.average);
  return 1;
}

}  // namespace

void apply_tuning(lua_State* L, process::Command& command) {
  for (const auto& tuning : live(L)) {  // the newest one takes precedence
    const machine::Wanted& given = tuning->for_commands;
    for (const auto& variable : given.env)
      if (std::find(command.unset.begin(), command.unset.end(), variable.first) == command.unset.end())
        command.env.insert(variable);
    if (command.on_cpus.empty()) command.on_cpus = given.cpus;
  }
}

// --- clocks that GPUs hold under a load, "KEY MHZ" in each line of a file -------------------------------------------
std::string clocks_file() { return state_folder() + "/clocks"; }

// remembered_clock(key): MHz, or nothing.
std::optional<std::int64_t> remembered_clock(const std::string& key) {
  std::optional<std::int64_t> found;
  const std::string text = read_file_if_there(clocks_file()).value_or("");
  for (const auto line : split(text, '\n'))
    if (line.starts_with(key + " ")) found = whole_number<std::int64_t>(line.substr(key.size() + 1));
  return found;
}

// remember_clock(key, mhz): a later line overrides an earlier one.
void remember_clock(const std::string& key, std::int64_t mhz) {
  // A boxed script may not: what it found is for it alone. The next script looks for it again.
  try_to([&] {
    const std::string line = key + " " + std::to_string(mhz) + "\n";
    write_all(open_private(clocks_file(), O_WRONLY | O_CREAT | O_APPEND).get(), line, clocks_file());
  });
}

// For stdlib/machine.lua; scripts see only reg.machine.tune.
std::vector<Function> bind_machine(lua_State* L) {
  register_class<Tuning>(L, "machine.Tuning", {});
  return {REG_FUNCTIONS(record, restore, facts, state, gpu_locks, gpu_parts, suggested_clock, remembered_clock,
                        remember_clock),
          {"open", call<open>, "governor min_freq turbo smt c_states cpus env"},
          {"gpu_variable", call<visible_devices>}};
}

}  // namespace reg::lua

namespace reg {
namespace {

// Of settings that regengine changes alone: journals of dead engines are files, and whoever wrote one may have named
// any other.
restore::Undo rewrite_setting(const restore::Entry& entry) {
  machine::check_setting(entry.target);
  return restore::rewrite_file(entry);
}

void recover_at_start() {
  const restore::Recovered recovered = restore::recover(state_folder(), change_kinds());
  std::vector<std::string> undone;
  for (const restore::Entry& entry : recovered.undone) undone.push_back(change_title(entry));
  if (!undone.empty())
    terminal::console().write_err("restored the changes of a regengine that was killed: " + join(undone, ", ") + "\n");
  for (const auto& [entry, why] : recovered.failed)
    terminal::console().write_err(fmt::format(
        "warning: cannot restore {}, which a regengine that was killed had changed: {}\n", change_title(entry), why));
}

}  // namespace

restore::Kinds change_kinds() {
  return {{"file", rewrite_setting},
          {container::kContainers, container::remove_containers},
          {gpu::kSmClocks, gpu::reset_clocks},
          {gpu::kMemoryClocks, gpu::reset_clocks}};
}

std::string change_title(const restore::Entry& entry) {
  if (entry.kind == gpu::kSmClocks) return "SM clock of " + entry.target;
  if (entry.kind == gpu::kMemoryClocks) return "memory clock of " + entry.target;
  if (entry.kind == container::kContainers) return "no containers of " + entry.target;
  return entry.target;
}

restore::Ledger& machine_ledger() {
  static restore::Ledger ledger = [] {
    recover_at_start();
    return restore::Ledger(state_folder(), change_kinds(), restore::this_program_again());
  }();
  return ledger;
}

}  // namespace reg
