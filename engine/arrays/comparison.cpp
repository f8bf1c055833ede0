#include "engine/arrays/comparison.h"

namespace reg::arrays {
namespace {

std::unique_ptr<Array> open(const Source& source) {
  if (source.format == "json") return open_json(source.file);
  if (source.format == "npy") return open_npy(source.file, source.dtype);
  return open_raw(source.file, {source.dtype.value(), source.shape, source.fortran});
}

}  // namespace

Comparison compare(const Source& reference, const Source& result, const Tolerance& tolerance) {
  Comparison comparison;
  try {
    comparison.failed = "reference";
    const auto expected = open(reference);
    comparison.failed = "result";
    const auto actual = open(result);
    comparison.failed = "comparison";
    comparison.reference_shape = to_string(expected->shape());
    comparison.result_shape = to_string(actual->shape());
    comparison.difference = difference_of(*expected, *actual, tolerance);
    comparison.failed.clear();
  } catch (const Error& error) {
    comparison.error = error;
  }
  return comparison;
}

}  // namespace reg::arrays
