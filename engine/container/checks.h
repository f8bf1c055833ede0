#pragma once

#include <string>
#include <vector>

#include "engine/container/runtime.h"

namespace reg::container {

/// Parses a mount from a script: a host path, and "INSIDE" or "INSIDE:ro". Makes the host path absolute. Throws usage
/// if it is not valid, not_found if the host path does not exist, and permission for a path that gives access to the
/// host:
/// "/", a socket, or a folder with a container engine's socket.
Mount parse_mount(const std::string& host, const std::string& inside);

/// Throws usage if a value could be mistaken for an option or cannot be passed on.
void check_spec(const Spec& spec);
void check_exec(const Exec& command);

/// Throws usage unless it is "", "all" or comma-separated indexes.
void check_gpus(const std::string& gpus);

}  // namespace reg::container
