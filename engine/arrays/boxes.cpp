#include "engine/arrays/boxes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace reg::arrays {
namespace {

std::uint64_t product(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

// How far apart two neighbours along each axis lie; `order` names the axes, the slowest first.
Shape strides(const Shape& shape, const std::vector<std::size_t>& order) {
  Shape steps(shape.size());
  std::uint64_t step = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    steps.at(*axis) = step;
    step *= shape.at(*axis);
  }
  return steps;
}

// The axes from the slowest to the fastest.
std::vector<std::size_t> axes_of(const Shape& shape, bool fortran) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (fortran) std::reverse(order.begin(), order.end());
  return order;
}

// Counts through the places of `extent`, the axes in `order`, its last one fastest; false after the last place.
bool advance(Shape& place, const Shape& extent, const std::vector<std::size_t>& order) {
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    if (++place.at(*axis) < extent.at(*axis)) return true;
    place.at(*axis) = 0;
  }
  return false;
}

std::uint64_t at(const Shape& place, const Shape& steps) {
  return std::inner_product(place.begin(), place.end(), steps.begin(), std::uint64_t{0});
}

// The box's numbers in the array's own order. A run goes over every fast axis that the box holds whole, and one more.
void read_runs(Array& array, const Box& box, std::vector<Number>& out) {
  std::vector<std::size_t> slow = axes_of(array.shape(), array.fortran());
  const Shape steps = strides(array.shape(), slow);
  std::uint64_t run = 1;
  while (!slow.empty()) {
    const std::size_t axis = slow.back();
    slow.pop_back();
    run *= box.extent.at(axis);
    if (box.extent.at(axis) < array.shape().at(axis)) break;
  }
  Shape place(box.from.size(), 0);
  std::size_t done = 0;
  do {
    array.read(at(box.from, steps) + at(place, steps), run, out.data() + done);
    done += run;
  } while (advance(place, box.extent, slow));
}

}  // namespace

void read_box(Array& array, const Box& box, std::vector<Number>& out, std::vector<Number>& scratch) {
  out.resize(product(box.extent));
  if (!array.fortran()) return read_runs(array, box, out);
  scratch.resize(out.size());
  read_runs(array, box, scratch);
  const auto order = axes_of(box.extent, false);
  const Shape steps = strides(box.extent, axes_of(box.extent, true));
  Shape place(box.extent.size(), 0);
  std::size_t i = 0;
  do out[i++] = scratch[at(place, steps)];
  while (advance(place, box.extent, order));
}

void each_box(const Shape& shape, std::uint64_t most, const std::function<void(const Box&)>& each) {
  if (product(shape) == 0) return;
  // The longest axis is halved until a box is small enough: short axes stay whole, so that runs go over them.
  Shape largest = shape;
  while (product(largest) > most) {
    auto longest = std::max_element(largest.begin(), largest.end());
    *longest = (*longest + 1) / 2;
  }
  Shape boxes(shape.size()), place(shape.size(), 0);
  for (std::size_t i = 0; i < shape.size(); ++i) boxes[i] = (shape[i] + largest[i] - 1) / largest[i];
  do {
    Box box{place, largest};
    for (std::size_t i = 0; i < shape.size(); ++i) {
      box.from[i] *= largest[i];
      box.extent[i] = std::min(largest[i], shape[i] - box.from[i]);
    }
    each(box);
  } while (advance(place, boxes, axes_of(shape, false)));
}

}  // namespace reg::arrays
