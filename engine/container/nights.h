#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "engine/container/runtime.h"

namespace reg::container {

struct Night {
  std::string date;  ///< 2023-08-24
  UnixTime time = 0;
  std::string image;
};

/// The nights from `from` to `to`, both included, whose image exists, in order. `image` has {date} in it; see
/// names_of_night for the names tried. A missing night is left out; not_found when all are. Fetches nothing.
Op<std::vector<Night>> nights(std::shared_ptr<Runtime> runtime, std::string image, UnixTime from, UnixTime to);

}  // namespace reg::container
