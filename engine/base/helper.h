#pragma once

#include <string>

namespace reg {

/// The path of a file that the engine brings along for other programs (inject/): beside its own program, or where it
/// was installed. Throws Error(unavailable) where it is in neither, which says what needs it: "tracing".
std::string helper_file(const std::string& name, const std::string& purpose);

}  // namespace reg
