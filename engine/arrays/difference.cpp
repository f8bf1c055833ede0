#include "engine/arrays/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/arrays/boxes.h"

namespace reg::arrays {
namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 16;
constexpr Number kInfinite = std::numeric_limits<Number>::infinity();

// A ratio of sums or sizes, none of them negative or NaN.
Number ratio(Number part, Number whole) { return part == 0 ? 0 : part / whole; }

// The sums are Numbers: squares of doubles do not overflow them, and a mean of millions keeps a double's digits.
class Sums {
 public:
  explicit Sums(const Tolerance& tolerance) : tolerance_(tolerance) {}

  // Whether the two are further apart than all before.
  bool add(Number reference, Number result) {
    ++found_.count;
    const Number size = std::fabs(reference);
    if (std::isfinite(reference)) {
      squares_ += reference * reference;
      ++finite_;
    }
    if (reference == result || (std::isnan(reference) && std::isnan(result))) return found_.count == 1 && note(0);
    ++found_.different;
    Number apart = std::fabs(result - reference);
    Number relative = kInfinite;
    if (!std::isfinite(reference) || !std::isfinite(result)) {
      ++found_.unmatched;
      apart = kInfinite;
    } else if (reference == 0) {
      ++found_.off_zero;
    } else {
      relative = apart / size;
    }
    if (apart == kInfinite || apart > tolerance_.absolute + tolerance_.relative * size) ++found_.not_close;
    relative_errors_ += relative;
    squared_errors_ += apart * apart;
    return (apart > largest_ || found_.count == 1) && note(apart);
  }

  Difference difference() const {
    Difference result = found_;
    const auto count = static_cast<Number>(result.count);
    const Number rmse = std::sqrt(ratio(squared_errors_, count));
    result.mean_relative_error = static_cast<double>(ratio(relative_errors_, count));
    result.rmse = static_cast<double>(rmse);
    result.relative_rmse = static_cast<double>(ratio(rmse, std::sqrt(ratio(squares_, static_cast<Number>(finite_)))));
    result.largest = static_cast<double>(largest_);
    return result;
  }

 private:
  bool note(Number apart) {
    largest_ = apart;
    return true;
  }

  Tolerance tolerance_;
  Difference found_;
  Number relative_errors_ = 0, squared_errors_ = 0, squares_ = 0, largest_ = 0;
  std::uint64_t finite_ = 0;
};

// The indices of the n-th place of the box, counted in C order or in Fortran's.
Shape place_in(const Box& box, std::uint64_t n, bool fortran) {
  Shape place = box.from;
  for (std::size_t i = 0; i < place.size(); ++i) {
    const std::size_t axis = fortran ? i : place.size() - 1 - i;
    place[axis] += n % box.extent[axis];
    n /= box.extent[axis];
  }
  return place;
}

// What sees all pairs of numbers, and notes the largest difference.
class Comparison {
 public:
  explicit Comparison(const Tolerance& tolerance) : sums_(tolerance) {}

  // `place_of(i)` are the indices of the i-th of these numbers.
  template <class PlaceOf>
  void add(const std::vector<Number>& reference, const std::vector<Number>& result, PlaceOf place_of) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
      if (!sums_.add(reference[i], result[i])) continue;
      place_ = place_of(i);
      reference_ = reference[i];
      result_ = result[i];
    }
  }

  Difference difference() const {
    Difference found = sums_.difference();
    found.largest_at = place_;
    found.reference = static_cast<double>(reference_);
    found.result = static_cast<double>(result_);
    return found;
  }

 private:
  Sums sums_;
  Shape place_;
  Number reference_ = 0, result_ = 0;
};

}  // namespace

std::optional<Difference> difference_of(Array& reference, Array& result, const Tolerance& tolerance) {
  if (reference.shape() != result.shape()) return std::nullopt;
  Comparison comparison(tolerance);
  std::vector<Number> wanted, got, scratch;
  const Box all{Shape(reference.shape().size(), 0), reference.shape()};
  if (reference.fortran() == result.fortran()) {
    for (std::uint64_t first = 0; first < reference.count(); first += wanted.size()) {
      wanted.resize(std::min(kMostAtOnce, reference.count() - first));
      got.resize(wanted.size());
      reference.read(first, wanted.size(), wanted.data());
      result.read(first, got.size(), got.data());
      comparison.add(wanted, got, [&](std::size_t i) { return place_in(all, first + i, reference.fortran()); });
    }
  } else {
    each_box(reference.shape(), kMostAtOnce, [&](const Box& box) {
      read_box(reference, box, wanted, scratch);
      read_box(result, box, got, scratch);
      comparison.add(wanted, got, [&](std::size_t i) { return place_in(box, i, false); });
    });
  }
  return comparison.difference();
}

}  // namespace reg::arrays
