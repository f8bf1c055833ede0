#pragma once

#include <map>
#include <string>

// Where the injection library lies, and what a command needs to be traced by it. It runs no command.

namespace reg::trace {

/// The library's file, beside the program or where it was installed. Throws Error(unavailable) where it is not.
std::string injection_library();

/// That library, and a driver to load it. Throws Error(unavailable) saying which is missing.
void check_available();

/// The version of the CUPTI that traced programs without one of their own find in this machine's usual places; its file
/// where it does not tell its version. Throws Error(unavailable) where there is none.
std::string cupti_version();

/// A place for one traced command's summaries.
struct Place {
  std::string folder;                         ///< absolute; a container's users may all write in it
  std::map<std::string, std::string> env;     ///< what the command needs, with paths as it sees them
  std::map<std::string, std::string> mounts;  ///< for a container: path here -> path inside
};

/// `folder`, made where it is not there; "" = a temporary one. Throws where it cannot be made, and conflict where it
/// holds a trace already.
Place make_place(const std::string& folder, bool in_container);

}  // namespace reg::trace
