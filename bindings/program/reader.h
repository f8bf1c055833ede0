#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/program/boxed.h"
#include "bindings/program/command_line.h"
#include "bindings/runtime/source.h"

namespace reg {

/// Whether it is a shipped script that reads what somebody else may have made and writes nothing but files: it runs in
/// the box if there is one.
bool only_reads(const Source& source);

/// Whether it is a shipped script that runs what a store says: it reads the store in the box, before anything else.
bool looks_first(const Source& source);

/// The values of an option among a script's arguments. `letter`: "-o", which may stand for it; "" for none.
std::vector<std::string> values_of(const std::vector<std::string>& arguments, std::string name,
                                   const std::string& letter);

/// The files that a script of only_reads() writes, by its arguments. Throws usage where one that they do not name is a
/// link out of its folder.
std::vector<std::string> outputs_of(const Source& source, const std::vector<std::string>& arguments);

/// The files and folders that its arguments name to be read. Any word may be one: they are the user's own.
std::vector<std::string> named_to_read(const std::vector<std::string>& arguments);

/// The script of a command line, as find_source() has it. What is not known to be plain Lua may be Markdown of somebody
/// else: that is read in the box, unless there is none. nullopt where the box ended with `code`.
std::optional<Source> read_source(Guard& guard, const CommandLine& line, std::vector<std::string>& rest, int& code);

/// The subcommand that does so in the box, which only this program runs.
inline constexpr const char* kReadSource = ":source";
int hand_over_source(Guard& guard, const std::string& asked);

/// The permissions of a subcommand that only reads.
std::unique_ptr<Permissions> permissions_of_command(const std::string& name);

/// Runs a subcommand in the box, where it reads these files, folders and stores, and changes nothing. `take` gets what
/// it hands over. Returns its exit code.
int look_in_box(Guard& guard, const std::vector<std::string>& words, const std::vector<std::string>& read,
                std::function<void(std::string_view)> take = {});

}  // namespace reg
