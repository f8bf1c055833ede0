#pragma once

#include <optional>

#include "engine/guard/permissions.h"

namespace reg {

/// Puts the question to whoever sits at the controlling terminal, wherever stdin and stdout go, and waits for one key.
/// Nothing where there is no terminal, or the engine runs in its background. What was typed before the question does
/// not count, and Ctrl-C is no.
std::optional<Answer> ask_at_terminal(const Question& question);

}  // namespace reg
