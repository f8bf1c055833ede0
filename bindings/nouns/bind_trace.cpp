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

void push_kernel(lua_State* L, const Kernel& kernel) {
  lua_createtable(L, 0, 5);
  set(L, "name", kernel.name);
  set(L, "count", kernel.count);
  set(L, "total_s", kernel.total_s);
  set(L, "min_s", kernel.min_s);
  set(L, "max_s", kernel.max_s);
}

void push_copy(lua_State* L, const Copy& copy) {
  lua_createtable(L, 0, 4);
  set(L, "kind", copy.kind);
  set(L, "count", copy.count);
  set(L, "bytes", copy.bytes);
  set(L, "total_s", copy.total_s);
}

void push_range(lua_State* L, const Range& range) {
  lua_createtable(L, 0, 7);
  set(L, "name", range.name);
  set(L, "count", range.count);
  set(L, "kernels", range.kernels);
  set(L, "total_s", range.total_s);
  set(L, "self_s", range.self_s);
  set(L, "nccl_s", range.nccl_s);
  set(L, "nccl_self_s", range.nccl_self_s);
}

void push_process(lua_State* L, const Process& process) {
  lua_createtable(L, 0, 6);
  set(L, "pid", process.pid);
  set(L, "command", process.command);
  set(L, "complete", process.complete);
  set(L, "records", process.records);
  if (!process.why.empty()) set(L, "why", process.why);
  if (!process.cupti.empty()) set(L, "cupti", process.cupti);
}

// Leaves the sums out if nothing was measured: a zero would look like a result.
int push_summary(lua_State* L, const Summary& summary) {
  lua_createtable(L, 0, 12);
  set(L, "ok", summary.ok);
  if (!summary.why.empty()) set(L, "why", summary.why);
  push_list(L, summary.processes, push_process);
  lua_setfield(L, -2, "processes");
  if (!summary.measured) return 1;
  push_list(L, summary.kernels, push_kernel);
  lua_setfield(L, -2, "kernels");
  push_list(L, summary.copies, push_copy);
  lua_setfield(L, -2, "copies");
  push_list(L, summary.ranges, push_range);
  lua_setfield(L, -2, "ranges");
  set(L, "busy_s", summary.busy_s);
  set(L, "span_s", summary.span_s);
  set(L, "overhead_s", summary.overhead_s);
  set(L, "memory_peak_bytes", summary.memory_peak_bytes);
  set(L, "dropped", summary.dropped);
  return 1;
}

int status(lua_State* L) {
  push(L, presence_of(check_available));
  return 1;
}

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
  lua_createtable(L, 0, 3);
  set(L, "folder", place.folder);
  set(L, "env", place.env);
  set(L, "mounts", place.mounts);
  return 1;
}

// A temporary folder of make().
int discard(lua_State* L) {
  const std::string folder = check_string(L, 1, "the folder");
  std::error_code gone;
  if (admit(L, {EffectKind::files, "remove " + folder, {writes(folder)}})) std::filesystem::remove_all(folder, gone);
  return 0;
}

int other(lua_State* L) {
  push(L, other_injection());
  return 1;
}

}  // namespace

void bind_trace(lua_State* L) {
  register_functions(L, "trace",
                     {{"status", status}, {"read", read}, {"make", make}, {"discard", discard}, {"other", other}});
}

}  // namespace reg::lua
