#pragma once

#include <string>
#include <vector>

#include "engine/container/runtime.h"
#include "engine/guard/effect.h"

namespace reg::container {

/// The image under each name that a pattern may match: as given, in full, and both without tag and digest.
Need need_of_image(const std::string& image);

/// The images of a repository whose tags match, "ghcr.io/nvidia/jax:jax-*": also permitted where all its images are.
Need need_of_tags(const std::string& pattern);

/// The image, the mounts, the host's network and IPC, devices, capabilities, and the files for the output.
std::vector<Need> needs_of(const Spec& spec);
std::vector<Need> needs_of(const Exec& command, const std::string& image);

}  // namespace reg::container
