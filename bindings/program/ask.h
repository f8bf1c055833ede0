#pragma once

#include <optional>

#include "engine/guard/permissions.h"

namespace reg {

/// Asks the question at the controlling terminal, wherever stdin and stdout go, and waits for one key. Returns
/// std::nullopt if there is no terminal or the engine runs in its background. Discards what was typed before the
/// question; Ctrl-C means no.
std::optional<Answer> ask_at_terminal(const Question& question);

/// Whether it could ask now.
bool can_ask();

}  // namespace reg
