#include "bindings/nouns/lease.h"

#include "engine/gpu/lease.h"

namespace reg::lua {

std::optional<process::Leased> leased_option(lua_State* L, const Options& options,
                                             const process::Conditions& conditions) {
  const int value = options.push("lease");
  const bool given = !lua_isnil(L, value);
  if (given && lua_type(L, value) != LUA_TUSERDATA)
    throw misuse(L, "'lease' must be a result of reg.gpu.lease, not " + type_name(L, value));
  const auto lease = given ? object_slot<gpu::Lease>(L, value) : nullptr;
  lua_pop(L, 1);
  if (!given) return std::nullopt;
  if (!lease) throw misuse(L, "the lease is closed");
  if (options.map("env").count("CUDA_VISIBLE_DEVICES") != 0)
    throw misuse(L, "'lease' and the variable CUDA_VISIBLE_DEVICES both choose GPUs", "Leave out one of the two.");
  process::Leased leased;
  for (const auto& one : lease->gpus()) {
    leased.uuids.push_back(one.part.uuid);
    leased.indexes.push_back(one.part.index);
  }
  if (conditions.cpus.empty() && conditions.group.empty()) leased.cpus = lease->cpus();
  return leased;
}

}  // namespace reg::lua
