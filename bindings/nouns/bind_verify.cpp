#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/arrays/difference.h"

namespace reg::lua {
namespace {

using arrays::Array;
using arrays::Difference;
using arrays::Dtype;

// A file of numbers, as stdlib/verify.lua names it: { file =, format =, dtype =, shape =, fortran =, big = }.
struct Source {
  std::string file, format;
  std::optional<Dtype> dtype;
  arrays::Shape shape;
  bool fortran = false;
};

struct Outcome {
  std::optional<Difference> difference;  // nothing where the shapes differ, or a file could not be read
  std::string reference_shape, result_shape;
  std::string failed;  // "reference", "result" or "comparison": where the error came from
  std::optional<Error> error;
};

arrays::Shape shape_from(lua_State* L, int at) {
  arrays::Shape shape;
  for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, at)); ++i) {
    lua_rawgeti(L, at, i);
    const std::int64_t extent = check_integer(L, -1, "an extent of the shape");
    if (extent < 0) throw Error(ErrorKind::usage, "verify: a shape has no extent below 0");
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
      throw Error(ErrorKind::usage, "verify: no dtype '" + *name + "'", "it knows " + std::string(arrays::kDtypeNames));
    if (given.flag("big")) source.dtype->endian = std::endian::big;
  }
  const int shape = given.push("shape");
  if (lua_istable(L, shape)) source.shape = shape_from(L, shape);
  lua_pop(L, 2);
  admit(L, {EffectKind::files, "read " + source.file, {reads(source.file)}, false});
  return source;
}

std::unique_ptr<Array> open(const Source& source) {
  if (source.format == "json") return arrays::open_json(source.file);
  if (source.format == "npy") return arrays::open_npy(source.file, source.dtype);
  return arrays::open_raw(source.file, {source.dtype.value(), source.shape, source.fortran});
}

Outcome compare(const Source& wanted, const Source& got, const arrays::Tolerance& tolerance) {
  Outcome outcome;
  try {
    outcome.failed = "reference";
    const auto reference = open(wanted);
    outcome.failed = "result";
    const auto result = open(got);
    outcome.failed = "comparison";
    outcome.reference_shape = arrays::to_string(reference->shape());
    outcome.result_shape = arrays::to_string(result->shape());
    outcome.difference = difference_of(*reference, *result, tolerance);
    outcome.failed.clear();
  } catch (const Error& error) {
    outcome.error = error;
  }
  return outcome;
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

// What stdlib/verify.lua judges: the numbers, or two shapes, or what kept a file from being read.
int difference(lua_State* L) {
  const Options options(L, 1);
  const Source reference = source_from(L, options, "reference");
  const Source result = source_from(L, options, "result");
  arrays::Tolerance tolerance;
  tolerance.relative = options.number("relative").value_or(tolerance.relative);
  tolerance.absolute = options.number("absolute").value_or(tolerance.absolute);
  return await(L, on_worker(Vm::of(L).loop(), [=] { return compare(reference, result, tolerance); }),
               [](lua_State* state, const Outcome& outcome) {
                 if (outcome.error && outcome.error->kind() == ErrorKind::usage) throw *outcome.error;
                 lua_createtable(state, 0, 16);
                 set(state, "reference_shape", outcome.reference_shape);
                 set(state, "result_shape", outcome.result_shape);
                 if (outcome.difference) push_difference(state, *outcome.difference);
                 if (outcome.error) {
                   set(state, "failed", outcome.failed);
                   set(state, "kind", to_string(outcome.error->kind()));
                   set(state, "message", std::string(outcome.error->what()));
                   set(state, "hint", outcome.error->hint());
                 }
                 return 1;
               });
}

}  // namespace

void bind_verify(lua_State* L) {
  register_functions(L, "verify", {{"difference", difference, "reference result relative absolute"}});
}

}  // namespace reg::lua
