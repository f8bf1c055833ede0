#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/loop/loop.h"

// What regengine pulled, so that it can be removed again: one small file for each image in the user's state folder. An
// image that was on the machine before is never in this list.

namespace reg::container {

struct Pulled {
  std::string program;    ///< docker or podman
  std::string image;      ///< its name
  std::string id;         ///< of what the name stood for after the pull
  std::string workspace;  ///< the folder that regengine ran in
};

/// Without a state folder it does nothing, and the image stays.
void remember_pulled(const Pulled& pulled);
void forget_pulled(const Pulled& pulled);

/// Those that were pulled through the same docker and podman hosts as now.
std::vector<Pulled> pulled_images();

/// Its size in bytes; nullopt if the image is gone, or its name stands for another one now.
Op<std::optional<std::uint64_t>> size_of_pulled(Loop& loop, Pulled pulled);

/// Rejects with unavailable if the container engine refuses, as for an image that a container uses.
Op<Nothing> remove_pulled(Loop& loop, Pulled pulled);

}  // namespace reg::container
