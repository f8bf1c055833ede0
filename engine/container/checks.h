#pragma once

#include <string>
#include <vector>

#include "engine/container/runtime.h"
#include "engine/guard/policy.h"

namespace reg::container {

/// Parses a mount from a script: a host path, and "INSIDE" or "INSIDE:ro". Makes the host path absolute. Throws usage
/// if it is not valid, not_found if the host path does not exist, and permission for a path that gives access to the
/// host:
/// "/", a socket, or a folder with a container engine's socket.
Mount parse_mount(const std::string& host, const std::string& inside);

/// The mount of a command line, HOST[:INSIDE[:ro]], where INSIDE is HOST unless given. Its host path keeps its symbolic
/// links: a program inside looks for the path as it was written. Throws as parse_mount.
Mount parse_mount_option(const std::string& text);

/// Throws usage for values that are not valid (settings.h), or that contradict each other, before anything is pulled.
void check_container(const Spec& spec);
/// The same for the bare host: throws usage for a setting that needs a container.
void check_host(const Spec& spec);
void check_exec(const Exec& command);

/// The image under each name that a pattern may match: as given, in full, and both without tag and digest.
Need need_of_image(const std::string& image);

/// The images of a repository whose tags match, "ghcr.io/nvidia/jax:jax-*": also permitted where all its images are.
Need need_of_tags(const std::string& pattern);

/// The image, the mounts, the host's network and IPC, devices, capabilities, and the files for the output.
std::vector<Need> needs_of(const Spec& spec);
std::vector<Need> needs_of(const Exec& command, const std::string& image);

}  // namespace reg::container
