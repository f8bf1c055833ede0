#pragma once

#include <memory>

#include "engine/broker/client.h"

namespace reg::broker {

/// From now on the broker locks, leases and watches GPUs and tunes the machine.
void use_broker_for_settings(const std::shared_ptr<Client>& client);
void use_no_broker_for_settings();

}  // namespace reg::broker
