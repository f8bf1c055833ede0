#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/store/nsys_export.h"

// The kernels of an SQLite export of nsys. stdlib/nsys.lua does the rest of reg.nsys: it runs nsys and reads its CSV.

namespace reg::lua {
namespace {

int exported(lua_State* L) {
  const std::string path = check_string(L, 1, "the path");
  admit(L, {EffectKind::files, "read " + path, {reads(path)}, false});
  push_list(L, store::nsys_kernels(path), [](lua_State* state, const store::NsysKernel& kernel) {
    lua_createtable(state, 0, 5);
    set(state, "name", kernel.name);
    set(state, "count", kernel.count);
    set(state, "total_s", kernel.total_s);
    set(state, "min_s", kernel.min_s);
    set(state, "max_s", kernel.max_s);
  });
  return 1;
}

}  // namespace

void bind_nsys(lua_State* L) { register_functions(L, "nsys", {{"exported", exported}}); }

}  // namespace reg::lua
