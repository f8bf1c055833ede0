#include "engine/gpu/elsewhere.h"

#include <utility>

namespace reg::gpu {
namespace {

std::optional<Elsewhere>& in_use() {
  static std::optional<Elsewhere> elsewhere;
  return elsewhere;
}

}  // namespace

void use_elsewhere(std::optional<Elsewhere> elsewhere) { in_use() = std::move(elsewhere); }

const std::optional<Elsewhere>& elsewhere() { return in_use(); }

std::vector<std::string> uuids_of(const std::vector<Device>& devices) {
  std::vector<std::string> uuids;
  for (const Device& device : devices) uuids.push_back(device.uuid());
  return uuids;
}

}  // namespace reg::gpu
