#pragma once

#include <string>

#include "engine/process/command.h"

namespace reg::process {

/// The engine's own PATH.
std::string own_path();

/// The PATH that the command's program is looked for in: its own, or the engine's.
std::string path_of(const Command& command);

/// The file that a command runs; "" where its word is no path and stands in no folder of its PATH. What is permitted
/// and what is started both ask here, so that they are the same.
std::string find_program(const Command& command);

/// The file of that name in the first folder of `path` that has it and is absolute; "" for none.
std::string find_in_absolute_folders(const std::string& path, const std::string& name);

}  // namespace reg::process
