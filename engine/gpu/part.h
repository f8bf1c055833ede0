#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/gpu/device.h"

namespace reg::gpu {

/// What a program can have for itself: a GPU, or an instance of one (MIG).
struct Part {
  Device device;      ///< the GPU that it is a part of
  std::string uuid;   ///< "GPU-..." or "MIG-...", which CUDA and docker take
  std::string index;  ///< "0" or "0:1", which docker and podman take
  std::string name;
};

/// The parts of this list of GPUs, as Device::list takes it, each once. A GPU whose MIG is on is its instances: as a
/// whole it runs nothing. Throws not_found.
std::vector<Part> parts_of(const std::shared_ptr<Nvml>& session, const std::string& which);

}  // namespace reg::gpu
