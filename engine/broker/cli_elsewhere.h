#pragma once

#include <memory>

#include "engine/broker/client.h"

namespace reg::broker {

/// From now on docker and podman run at the broker. What is asked of them passes the guard here first, as in an engine
/// that is not boxed, so that a dry run and a rehearsal hold it back.
void use_broker_for_containers(const std::shared_ptr<Client>& client);

}  // namespace reg::broker
