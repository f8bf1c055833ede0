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

/// The nightly images from `from` to `to`, both included, that exist, in order. `image` contains {date}; names_of_night
/// has the names tried. Skips missing ones; not_found if there is none. Fetches nothing.
Op<std::vector<Night>> nights(std::shared_ptr<Runtime> runtime, std::string image, UnixTime from, UnixTime to);

}  // namespace reg::container
