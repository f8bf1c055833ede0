#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "engine/process/command.h"

// What may be absent is null.
namespace nlohmann {
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& from) {
    to = nullptr;
    if (from) to = *from;
  }
  static void from_json(const json& from, std::optional<T>& to) {
    to = from.is_null() ? std::nullopt : std::optional<T>(from.get<T>());
  }
};
}  // namespace nlohmann

// All that a script decides of a command but its output files, which go as open files.
namespace reg::process {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Leased, uuids, indexes, cpus)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Counted, type, config)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Conditions, cpus, group, nice, fixed_addresses)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Command, argv, env, unset, cwd, input, mounts, kill_after_s, loaded_below,
                                   keep_bytes, file_bytes, conditions, timeout_s, stall_s, leased, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, code, signal, timed_out, stalled, shortage, oom, out, err, out_bytes,
                                   err_bytes, wall_s, user_s, sys_s, minor_faults, major_faults, voluntary_switches,
                                   involuntary_switches, peak_bytes, loaded, counted)
}  // namespace reg::process

namespace reg::broker {

/// What goes through the channel: JSON as MessagePack, since commands and their output may hold any bytes. It says each
/// length first, so only lists and maps nest.
using Json = nlohmann::json;

/// A file's text goes as it is, behind this, the number of its request, the file's place and a space behind each.
inline constexpr std::string_view kText = "\xc1";  // no message of MessagePack begins so

std::string pack(const Json& json);
/// Throws corrupt where it is not one object.
Json unpack(const std::string& bytes);

/// Throws usage for what the bindings refuse, too: NUL bytes, names of variables with "=", relative mounts.
process::Command command_from(const Json& json);

Json as_json(const std::exception_ptr& error);
std::exception_ptr error_from(const Json& json);

}  // namespace reg::broker
