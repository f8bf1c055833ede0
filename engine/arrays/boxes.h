#pragma once

#include <functional>

#include "engine/arrays/array.h"

namespace reg::arrays {

/// A part of an array: `extent` places from `from` on, along each axis.
struct Box {
  Shape from, extent;
};

/// The numbers of the box, in C order, whatever the order they lie in. `scratch` is room that is used again.
void read_box(Array& array, const Box& box, std::vector<Number>& out, std::vector<Number>& scratch);

/// Divides a shape into boxes of at most `most` places, so that in either order each box is in few and long runs.
void each_box(const Shape& shape, std::uint64_t most, const std::function<void(const Box&)>& each);

}  // namespace reg::arrays
