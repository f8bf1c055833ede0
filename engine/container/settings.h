#pragma once

#include <string>

namespace reg::container {

/// Throws usage for a value that docker and podman would refuse, but only once the image is pulled, and for one that
/// could be mistaken for an option. `name`: shm_size, ipc, ulimits, devices, cap_add, memory, cpus, user, entrypoint,
/// workdir, network or gpus; `value`: the option's, or one of its list.
void check_setting(const std::string& name, const std::string& value);

}  // namespace reg::container
