#include "engine/gpu/part.h"

#include <fmt/format.h>

namespace reg::gpu {
namespace {

Part part(const Device& device, const Instance& instance) {
  return {device, instance.uuid, fmt::format("{}:{}", device.index(), instance.index), instance.name};
}

// Of this GPU: the whole of it, or its instances.
std::vector<Part> parts_of(const Device& device) {
  std::vector<Part> parts;
  for (const Instance& instance : device.instances()) parts.push_back(part(device, instance));
  if (parts.empty()) parts.push_back({device, device.uuid(), fmt::to_string(device.index()), device.name()});
  return parts;
}

// Those that a name without commas stands for.
std::vector<Part> named(const std::shared_ptr<Nvml>& session, const std::string& name) {
  std::vector<Part> parts;
  for (const Device& device : Device::list(session, name)) {
    const std::vector<Part> own = parts_of(device);
    parts.insert(parts.end(), own.begin(), own.end());
  }
  const bool is_instance = name.starts_with("MIG-") || name.find(':') != std::string::npos;
  const auto is_named = [&](const Part& one) { return one.uuid == name || one.index == name; };
  const auto instance = std::find_if(parts.begin(), parts.end(), is_named);
  if (!is_instance || (instance == parts.end() && name.find('.') != std::string::npos))
    return parts;  // or a PCI address
  if (instance == parts.end())
    throw Error(ErrorKind::not_found, "no such GPU instance: " + name, "List them with nvidia-smi -L.");
  return {*instance};
}

}  // namespace

std::vector<Part> parts_of(const std::shared_ptr<Nvml>& session, const std::string& which) {
  return each_named(
      which, [&](const std::string& name) { return named(session, name); }, &Part::uuid);
}

}  // namespace reg::gpu
