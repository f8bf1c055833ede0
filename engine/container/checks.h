#pragma once

#include <string>
#include <vector>

#include "engine/container/runtime.h"

namespace reg::container {

/// A mount as a script writes it: a host path, and "INSIDE" or "INSIDE:ro". The host path becomes absolute. Throws
/// usage for a form that makes no sense, not_found for a host path that is not there, and permission for what would
/// give the container the host: "/", a socket, or a folder that holds a container engine's socket.
Mount parse_mount(const std::string& host, const std::string& inside);

/// Throws usage when a value of the spec could be taken for an option or cannot be handed over.
void check_spec(const Spec& spec);
void check_exec(const Exec& command);

/// "all" or numbers with commas; throws usage for anything else.
void check_gpus(const std::string& gpus);

}  // namespace reg::container
