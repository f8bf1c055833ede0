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
  std::string digest;  ///< "" if the registry does not tell
};

struct Nights {
  std::vector<Night> found;          ///< in order
  std::vector<std::string> missing;  ///< dates without an image, in order
};

/// The nightly images from `from` to `to`, both included. `image` contains {date}; names_of_night has the names tried.
/// Throws not_found if there is none. Fetches nothing.
Op<Nights> nights(std::shared_ptr<Runtime> runtime, std::string image, UnixTime from, UnixTime to);

}  // namespace reg::container
