#include "engine/arrays/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reg::arrays {
namespace {

constexpr std::uint64_t kAtOnce = 1 << 16;
constexpr Number kInfinite = std::numeric_limits<Number>::infinity();

Shape indices_of(std::uint64_t place, const Npy& array) {
  const Shape& shape = array.shape();
  Shape indices(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = array.fortran() ? i : shape.size() - 1 - i;
    indices[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return indices;
}

// |result - reference|, infinite if either is NaN or infinite.
Number distance(Number reference, Number result) {
  return std::isfinite(reference) && std::isfinite(result) ? std::fabs(result - reference) : kInfinite;
}

Difference difference_of(Npy& reference, Npy& result) {
  Difference found;
  found.count = reference.count();
  std::vector<Number> wanted, got;
  Number errors = 0, largest = -1;
  for (std::uint64_t first = 0; first < found.count; first += wanted.size()) {
    wanted.resize(std::min(kAtOnce, found.count - first));
    got.resize(wanted.size());
    reference.read(first, wanted.size(), wanted.data());
    result.read(first, got.size(), got.data());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool equal = wanted[i] == got[i] || (std::isnan(wanted[i]) && std::isnan(got[i]));
      const Number apart = equal ? 0 : distance(wanted[i], got[i]);
      if (!equal) {
        ++found.different;
        if (apart == kInfinite) ++found.unmatched;
        if (wanted[i] == 0 && apart != kInfinite) ++found.off_zero;
        errors += std::isinf(apart) ? apart : apart / std::fabs(wanted[i]);
      }
      if (apart <= largest) continue;
      largest = apart;
      found.largest_at = indices_of(first + i, reference);
      found.reference = static_cast<double>(wanted[i]);
      found.result = static_cast<double>(got[i]);
    }
  }
  found.largest = static_cast<double>(std::max<Number>(largest, 0));
  if (found.count > 0) found.mean_relative_error = static_cast<double>(errors / static_cast<Number>(found.count));
  return found;
}

}  // namespace

Comparison compare(const std::string& reference, const std::string& result) {
  Comparison comparison;
  try {
    comparison.failed = "reference";
    Npy wanted(reference);
    comparison.reference_shape = to_string(wanted.shape());
    comparison.failed = "result";
    Npy got(result);
    comparison.result_shape = to_string(got.shape());
    comparison.failed = "comparison";
    if (wanted.shape() == got.shape()) {
      if (wanted.fortran() != got.fortran() && wanted.shape().size() > 1)
        throw Error(ErrorKind::unavailable, result + " and its reference have different orders, C and Fortran",
                    "Save both with numpy.ascontiguousarray.");
      comparison.difference = difference_of(wanted, got);
    }
    comparison.failed.clear();
  } catch (const Error& error) {
    comparison.error = error;
  }
  return comparison;
}

}  // namespace reg::arrays
