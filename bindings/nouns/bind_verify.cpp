#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/arrays/comparison.h"

namespace reg::lua {
namespace {

using arrays::Comparison;
using arrays::Difference;
using arrays::Source;

arrays::Shape shape_from(lua_State* L, int at) {
  arrays::Shape shape;
  for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, at)); ++i) {
    lua_rawgeti(L, at, i);
    const std::int64_t extent = check_integer(L, -1, "an extent of the shape");
    if (extent < 0) throw Error(ErrorKind::usage, "verify: an extent of the shape must not be negative");
    shape.push_back(static_cast<std::uint64_t>(extent));
    lua_pop(L, 1);
  }
  return shape;
}

Source source_from(lua_State* L, const Options& all, const char* key) {
  const Options given(L, all.push(key));
  Source source;
  source.file = given.required_text("file");
  source.format = given.required_text("format");
  source.fortran = given.flag("fortran");
  if (const auto name = given.text("dtype")) {
    source.dtype = arrays::dtype_named(*name);
    if (!source.dtype)
      throw Error(ErrorKind::usage, "verify: not a valid dtype: '" + *name + "'",
                  "valid dtypes: " + std::string(arrays::kDtypeNames));
    if (given.flag("big")) source.dtype->endian = std::endian::big;
  }
  const int shape = given.push("shape");
  if (lua_istable(L, shape)) source.shape = shape_from(L, shape);
  lua_pop(L, 2);
  admit(L, {EffectKind::files, "read " + source.file, {reads(source.file)}, false});
  return source;
}

void push_difference(lua_State* L, const Difference& found) {
  set(L, "count", found.count);
  set(L, "different", found.different);
  set(L, "not_close", found.not_close);
  set(L, "unmatched", found.unmatched);
  set(L, "off_zero", found.off_zero);
  set(L, "mean_relative_error", found.mean_relative_error);
  set(L, "rmse", found.rmse);
  set(L, "relative_rmse", found.relative_rmse);
  set(L, "largest_difference", found.largest);
  push_list(L, found.largest_at, [](lua_State* state, std::uint64_t index) { push(state, index); });
  lua_setfield(L, -2, "largest_at");
  set(L, "reference_there", found.reference);
  set(L, "result_there", found.result);
}

// For stdlib/verify.lua: the numbers of the difference, two different shapes, or why a file could not be read.
int difference(lua_State* L) {
  const Options options(L, 1);
  const Source reference = source_from(L, options, "reference");
  const Source result = source_from(L, options, "result");
  arrays::Tolerance tolerance;
  tolerance.relative = options.number("relative").value_or(tolerance.relative);
  tolerance.absolute = options.number("absolute").value_or(tolerance.absolute);
  return await(L, on_worker(Vm::of(L).loop(), [=] { return arrays::compare(reference, result, tolerance); }),
               [](lua_State* state, const Comparison& found) {
                 if (found.error && found.error->kind() == ErrorKind::usage) throw *found.error;
                 lua_createtable(state, 0, 16);
                 set(state, "reference_shape", found.reference_shape);
                 set(state, "result_shape", found.result_shape);
                 if (found.difference) push_difference(state, *found.difference);
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

void bind_verify(lua_State* L) {
  register_functions(L, "verify", {{"difference", difference, "reference result relative absolute"}});
}

}  // namespace reg::lua
