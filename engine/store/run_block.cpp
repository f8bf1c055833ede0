#include "engine/store/run_block.h"

#include <bit>

namespace reg::store {

static_assert(std::endian::native == std::endian::little, "a store's BLOBs have the lowest byte first");
static_assert(sizeof(RunHead) == 24 && sizeof(results::LongHash) == 16 && sizeof(results::Datapoint) == 16);

std::vector<Stretch> stretches_of(const results::Shape& shape) {
  std::vector<Stretch> stretches;
  std::size_t at = 0;
  for (const results::Shape::Part& metric : shape.metrics()) {
    if (metric.number > at) stretches.push_back({std::nullopt, at, metric.number});
    at = metric.number + metric.numbers;
    if (metric.numbers > 0) stretches.push_back({metric.name, metric.number, at});
  }
  if (at < shape.kinds().size()) stretches.push_back({std::nullopt, at, shape.kinds().size()});
  return stretches;
}

}  // namespace reg::store
