#pragma once

#include <string>
#include <string_view>

namespace reg {

/// `bytes` random bytes in hex: names of runs, containers, temporary files.
std::string random_id(std::size_t bytes = 8);

/// SHA-256 in hex: keys of trials, hashes of scripts.
std::string sha256(std::string_view data);

/// This process, told apart from any later one with the same pid: "<boot>-<pid>-<start time>".
const std::string& engine_id();

/// Whether the process that engine_id() named in `id` still runs on this machine.
bool engine_alive(std::string_view id);

std::string host_name();
std::string version();

}  // namespace reg
