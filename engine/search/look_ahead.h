#pragma once

#include <optional>

#include "engine/search/policy.h"

namespace reg::search {

/// The single run from which most is to be learnt for its cost, one step ahead; none where hundreds more would tell
/// next to nothing. For an exact question: the middle of a gap with a change in it.
std::optional<Request> best_run(const Evidence& evidence);

}  // namespace reg::search
