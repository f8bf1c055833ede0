#pragma once

#include <optional>
#include <string>

#include "engine/loop/loop.h"

namespace reg {

/// The next line of standard input without its newline, or nothing at the end. Other tasks run meanwhile. Returns
/// nullptr if another read_line is not done yet.
Op<std::optional<std::string>> read_line(Loop& loop);

}  // namespace reg
