#include <cmath>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/arrays/npy.h"

namespace reg::lua {
namespace {

using arrays::Comparison;
using arrays::Difference;

void push_difference(lua_State* L, const Difference& found) {
  set(L, "count", found.count);
  set(L, "different", found.different);
  set(L, "unmatched", found.unmatched);
  set(L, "off_zero", found.off_zero);
  set(L, "value", found.mean_relative_error);
  set(L, "largest_difference", found.largest);
  push_list(L, found.largest_at, [](lua_State* state, std::uint64_t index) { push(state, index); });
  lua_setfield(L, -2, "largest_at");
  set(L, "reference_there", found.reference);
  set(L, "result_there", found.result);
}

// For stdlib/verify.lua: the numbers of the difference, two different shapes, or why a file could not be read.
int difference(lua_State* L) {
  const std::string reference = check_string(L, 1, "reference"), result = check_string(L, 2, "result");
  for (const std::string& file : {reference, result})
    admit(L, {EffectKind::files, "read " + file, {reads(file)}, false});
  return await(L, on_worker(Vm::of(L).loop(), [=] { return arrays::compare(reference, result); }),
               [](lua_State* state, const Comparison& found) {
                 lua_createtable(state, 0, 16);
                 set(state, "reference_shape", found.reference_shape);
                 set(state, "result_shape", found.result_shape);
                 if (found.difference)
                   push_difference(state, *found.difference);
                 else if (!found.error)
                   set(state, "value", HUGE_VAL);
                 if (found.error) {
                   set(state, "failed", found.failed);
                   set(state, "kind", to_string(found.error->kind()));
                   set(state, "message", std::string(found.error->what()));
                   set(state, "hint", found.error->hint());
                 }
                 return 1;
               });
}

}  // namespace

void bind_verify(lua_State* L) { register_functions(L, "verify", {{"difference", difference}}); }

}  // namespace reg::lua
