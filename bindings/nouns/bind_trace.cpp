#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/text.h"
#include "engine/nvtx/nvtx.h"
#include "engine/trace/injection.h"

// For stdlib/trace.lua: the folder for a command's summaries, with the settings that the command needs to write them.

namespace reg::lua {
namespace {

using namespace reg::trace;

int status(lua_State* L) { return push(L, presence_of(check_available)); }

// A name without mangling and control characters.
std::string readable(const std::string& name) {
  int failed = name.starts_with("_Z") ? 0 : 1;  // "a" would be a mangled type
  const std::unique_ptr<char, decltype(&std::free)> text(
      failed == 0 ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed) : nullptr, &std::free);
  return printable(failed == 0 && text ? text.get() : name);
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
void discard(lua_State* L, const std::string& folder) {
  std::error_code gone;
  if (admit(L, {EffectKind::files, "remove " + folder, {writes(folder)}})) std::filesystem::remove_all(folder, gone);
}

// --- ranges of the engine and of scripts, for a profiler
auto range(lua_State* L, const Options& options) {
  return std::make_shared<nvtx::Range>(options.text("category", ""), check_string(L, 1, "the text"));
}

}  // namespace

std::vector<Function> bind_trace(lua_State*) { return {REG_FUNCTIONS(status, readable, make, discard)}; }

std::vector<Function> bind_nvtx(lua_State* L) {
  register_class<nvtx::Range>(L, "nvtx.Range", {{"close", close_object<nvtx::Range>}});
  return {{"range", call<range>, "category", 2}, {"status", call<nvtx::status>}};
}

}  // namespace reg::lua
