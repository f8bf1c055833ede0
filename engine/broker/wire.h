#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "engine/process/command.h"

namespace reg::broker {

/// What goes through the channel: JSON as MessagePack, since commands and their output may hold any bytes. It says each
/// length first, so only lists and maps nest.
using Json = nlohmann::json;

/// A text that is long goes as it is, behind this, the number of its request and a space.
inline constexpr std::string_view kText = "\xc1";  // no message of MessagePack begins so

std::string pack(const Json& json);
/// Throws corrupt where it is not one object.
Json unpack(const std::string& bytes);

/// All that a script decides of a command but its output files, which go as open files.
Json as_json(const process::Command& command);
/// Throws usage for what the bindings refuse, too: NUL bytes, names of variables with "=", relative mounts.
process::Command command_from(const Json& json);

Json as_json(const process::Leased& leased);
process::Leased leased_from(const Json& json);

Json as_json(const process::Outcome& outcome);
process::Outcome outcome_from(const Json& json);

Json as_json(const std::exception_ptr& error);
std::exception_ptr error_from(const Json& json);

}  // namespace reg::broker
