#include <filesystem>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/error.h"
#include "engine/trace/injection.h"
#include "engine/trace/summary.h"

// For stdlib/trace.lua: the folder for a command's summaries with the settings the command needs to write them, and the
// summaries as a table.

namespace reg::lua {
namespace {

using namespace reg::trace;

void push_kernel(lua_State* L, const Kernel& kernel) { REG_PUSH(L, kernel, name, count, total_s, min_s, max_s); }

void push_copy(lua_State* L, const Copy& copy) { REG_PUSH(L, copy, kind, count, bytes, total_s); }

void push_range(lua_State* L, const Range& range) {
  REG_PUSH(L, range, name, count, kernels, total_s, self_s, nccl_s, nccl_self_s);
}

void push_process(lua_State* L, const Process& process) {
  REG_PUSH(L, process, pid, command, complete, records);
  if (!process.why.empty()) set(L, "why", process.why);
  if (!process.cupti.empty()) set(L, "cupti", process.cupti);
}

// Leaves the sums out if nothing was measured: a zero would look like a result.
int push_summary(lua_State* L, const Summary& summary) {
  lua_createtable(L, 0, 12);
  set(L, "ok", summary.ok);
  if (!summary.why.empty()) set(L, "why", summary.why);
  set(L, "processes", summary.processes, push_process);
  if (!summary.measured) return 1;
  set(L, "kernels", summary.kernels, push_kernel);
  set(L, "copies", summary.copies, push_copy);
  set(L, "ranges", summary.ranges, push_range);
  REG_SET(L, summary, busy_s, span_s, overhead_s, memory_peak_bytes, dropped);
  return 1;
}

int status(lua_State* L) { return push(L, presence_of(check_available)); }

int read(lua_State* L) {
  const std::string folder = check_string(L, 1, "the folder");
  admit(L, {EffectKind::files, "read the trace in " + folder, {reads(folder)}, false});
  // A link may lead elsewhere.
  std::vector<Need> needs;
  std::error_code unseen;  // read_summaries() says so
  for (const auto& entry : std::filesystem::directory_iterator(folder, unseen))
    if (entry.path().extension() == ".json") needs.push_back(reads(entry.path().string()));
  admit(L, {EffectKind::files, "read the trace in " + folder, std::move(needs), false});
  return push_summary(L, read_summaries(folder));
}

// make(folder or "", in_container): { folder =, env =, mounts = }, or nothing in a dry run.
int make(lua_State* L) {
  const std::string folder = check_string(L, 1, "the folder");
  std::vector<Need> needs;
  if (!folder.empty()) needs.push_back(writes(folder));
  if (!admit(L, {EffectKind::files, "create the folder " + (folder.empty() ? "for a trace" : folder), needs})) return 0;
  const Place place = make_place(folder, lua_toboolean(L, 2) != 0);
  Policy& policy = Vm::of(L).guard().policy();
  policy.grant(EffectKind::files, place.folder, true);
  policy.grant(EffectKind::files, injection_library(), false);
  policy.grant(EffectKind::process, injection_library(), true);
  REG_PUSH(L, place, folder, env, mounts);
  return 1;
}

// A temporary folder of make().
int discard(lua_State* L) {
  const std::string folder = check_string(L, 1, "the folder");
  std::error_code gone;
  if (admit(L, {EffectKind::files, "remove " + folder, {writes(folder)}})) std::filesystem::remove_all(folder, gone);
  return 0;
}

int other(lua_State* L) { return push(L, other_injection()); }

}  // namespace

void bind_trace(lua_State* L) {
  register_functions(L, "trace",
                     {{"status", status}, {"read", read}, {"make", make}, {"discard", discard}, {"other", other}});
}

}  // namespace reg::lua
