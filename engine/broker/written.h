#pragma once

#include <string>

#include "engine/broker/channel.h"
#include "engine/broker/wire.h"

namespace reg::broker {

/// A path at which this process opens the file that came with the message, which the request calls `name`; "" if it
/// names none. Throws permission for one that the boxed engine had not opened to write.
std::string written_file(const Message& message, const Json& request, const char* name);

}  // namespace reg::broker
