#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace reg {

/// `bytes` random bytes in hex, for names of runs, containers, temporary files.
std::string random_id(std::size_t bytes = 8);

/// Bytes as hex digits.
std::string hex(const unsigned char* data, std::size_t size);

/// SHA-256 in hex, for keys of trials and hashes of scripts.
std::string sha256(std::string_view data);

/// The same of a file's contents, however large. Throws not_found, permission or io naming the path.
std::string sha256_of_file(const std::string& path);

/// Identifies this process, also among later ones and those of containers with the same pid:
/// "<boot>-<pid namespace>-<pid>-<start time>".
const std::string& engine_id();

/// Whether the process with this engine_id() is still running on this machine, as far as this process can know: one of
/// a PID namespace that cannot be seen from here counts as running.
bool engine_alive(std::string_view id);

/// The fields of /proc/PID/stat behind the program's name: state, parent, group, session, ... {} if the process is
/// gone.
std::vector<std::string> stat_of(std::string_view pid);

/// A variable that the process was started with; "" if it has none, or may not be read.
std::string variable_of(pid_t pid, std::string_view name);

/// A variable of this process; "" if it has none.
std::string variable(const char* name);

/// All of this process, by name; and those that another one was started with, {} if they may not be read.
std::map<std::string, std::string> variables();
std::map<std::string, std::string> variables_of(pid_t pid);

std::string host_name();
bool in_container();      ///< in a PID namespace that is not the machine's own
std::string cpu_model();  ///< "unknown" where the kernel does not tell
std::string version();

/// The SHA-256 of a file's contents. Of a folder: of the paths and contents of all files below it, in order; a symbolic
/// link counts as where it leads. Throws not_found, permission or io naming the path.
std::string hash_of_path(const std::string& path);

/// How many signals have asked this process to stop. Work in C during which this grows is to end.
inline std::atomic<std::int64_t> interrupt_count = 0;

/// How often this process went on after it was stopped, as by Ctrl-Z; main() has it counted. What runs while this
/// changes was not timed or watched all the time.
inline std::atomic<std::int64_t> stop_count = 0;
inline std::int64_t stops() { return stop_count; }

}  // namespace reg
