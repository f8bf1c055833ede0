#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/container/runtime.h"

namespace reg::container {

/// What a container gets unless its spec says otherwise. docker's own defaults break programs for machine learning: in
/// 64 MB of shared memory NCCL and data loaders fail. NVIDIA's containers ask at their start for `--ipc=host` (or a
/// larger `--shm-size`) and `--ulimit memlock=-1 --ulimit stack=67108864`. Shared memory of the container's own does as
/// well and keeps it apart from the host. It takes memory only as it is used.
class Defaults {
 public:
  Spec applied_to(Spec spec) const;

  /// Whether the message of a container that did not start says that one of these is refused, which is not set from
  /// then on: rootless engines cannot raise memlock above the user's hard limit, and a podman configured to share the
  /// host's IPC takes no size of shared memory.
  bool refused(std::string_view message);

 private:
  bool shm_size_ = true;
  std::vector<std::string> ulimits_{"memlock=-1", "stack=67108864"};
};

}  // namespace reg::container
