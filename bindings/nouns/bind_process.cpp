#include <fmt/format.h>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/gpu/lease.h"

REG_TABLE(reg::process, Program, name, cpu_s, cpu_delay_s, variables)

namespace reg::lua {

process::Command command_from(lua_State* L, const Options& options) {
  process::Command command;
  const auto shell = options.text("shell");
  if (options.has("cmd") == shell.has_value())
    throw misuse(L, "needs either 'cmd', a list of strings, or 'shell', a string");
  const int cmd = options.push("cmd");
  if (lua_type(L, cmd) == LUA_TSTRING)
    throw misuse(L, "'cmd' must be a list of strings, not a string", "Pass a shell command as 'shell'.");
  lua_pop(L, 1);
  command.argv = shell ? std::vector<std::string>{"/bin/sh", "-c", *shell} : options.list("cmd");
  if (command.argv.empty()) throw misuse(L, "'cmd' is empty");
  REG_GET(options, command, env, unset, cwd, loaded_below, keep_bytes);
  options.get("stdin", command.input);
  options.get("out", command.out_file);
  options.get("err", command.err_file);
  command.timeout_s = options.duration("timeout_s");
  for (const auto& [name, value] : command.env)
    if (name.empty() || name.find('=') != std::string::npos)
      throw misuse(L, "not a valid environment variable: '" + name + "'");
  std::vector<std::string> words = command.argv;
  for (const auto& [name, value] : command.env) words.push_back(name + value);
  words.insert(words.end(), command.unset.begin(), command.unset.end());
  words.insert(words.end(), {command.cwd, command.out_file, command.err_file});
  words.insert(words.end(), command.loaded_below.begin(), command.loaded_below.end());
  for (const std::string& word : words)
    if (word.find('\0') != std::string::npos) throw misuse(L, "a command must not contain a NUL byte");
  apply_tuning(L, command);
  return command;
}

std::optional<process::Leased> leased_option(lua_State* L, const Options& options, const process::Command& command) {
  const int value = options.push("lease");
  const bool given = !lua_isnil(L, value);
  if (given && lua_type(L, value) != LUA_TUSERDATA)
    throw misuse(L, "'lease' must be a result of reg.gpu.lease, not " + type_name(L, value));
  const auto lease = given ? object_slot<gpu::Lease>(L, value) : nullptr;
  lua_pop(L, 1);
  if (!given) return std::nullopt;
  if (!lease) throw misuse(L, "the lease is closed");
  if (options.map("env").count(visible_devices()) != 0)
    throw misuse(L, fmt::format("'lease' and the variable {} both choose GPUs", visible_devices()),
                 "Leave out one of the two.");
  process::Leased leased;
  for (const auto& one : lease->gpus()) {
    leased.uuids.push_back(one.part.uuid);
    leased.indexes.push_back(one.part.index);
  }
  if (command.on_cpus.empty()) leased.cpus = lease->cpus();
  return leased;
}

void push_outcome(lua_State* L, const process::Outcome& outcome) {
  REG_PUSH(L, outcome, code, signal, timed_out, oom, wall_s, user_s, sys_s, peak_bytes, minor_faults, major_faults,
           voluntary_switches, involuntary_switches);
  set(L, "ok", outcome.code == 0 && !outcome.timed_out);
  set(L, "stdout", outcome.out);
  set(L, "stderr", outcome.err);
  set(L, "stdout_bytes", outcome.out_bytes);
  set(L, "stderr_bytes", outcome.err_bytes);
  REG_SET_SOME(L, outcome, shortage, loaded, programs);
}

namespace {

void read_mounts(lua_State* L, const Options& options, process::Command& command) {
  for (const auto& [folder, inside] : options.map("mounts")) {
    if (!folder.starts_with('/') || !inside.starts_with('/'))
      throw misuse(L, fmt::format("'mounts' must name absolute paths, not '{}' and '{}'", folder, inside));
    command.mounts[inside] = folder;
  }
}

int run(lua_State* L, const Options& options) {
  process::Command command = command_from(L, options);
  read_mounts(L, options, command);
  REG_GET(options, command, programs);
  if (options.flag("instructions")) command.count = process::kInstructions;
  const bool counts = command.count.has_value();
  command.leased = leased_option(L, options, command);
  Effect effect = process::effect_of(command);
  effect.changes = !options.flag("reads");
  if (!admit(L, effect)) {
    process::Outcome outcome;
    outcome.wall_s = 1;  // scripts divide by it
    push_outcome(L, outcome);
    set(L, "dry", true);
    return 1;
  }
  command.bounds = Vm::of(L).guard().policy().bounds(effect);
  return await(L, process::run(Vm::of(L).loop(), std::move(command)),
               [counts](lua_State* state, const process::Outcome& outcome) {
                 push_outcome(state, outcome);
                 if (outcome.counted)
                   set(state, "instructions", *outcome.counted);
                 else if (counts)
                   set(state, "instructions", false);
                 return 1;
               });
}

}  // namespace

std::vector<Function> bind_process(lua_State*) {
  return {{"run", call<run>,
           "cmd shell env unset cwd stdin timeout_s out err keep_bytes lease loaded_below mounts instructions programs "
           "reads"}};
}

}  // namespace reg::lua
