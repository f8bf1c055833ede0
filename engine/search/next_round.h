#pragma once

#include <vector>

#include "engine/search/evidence.h"

namespace reg::search {

/// The units to run next, at most question.parallel of them; none where the answer is good enough. `place` of a request
/// is a unit here.
std::vector<Request> next_round(const Evidence& evidence);

}  // namespace reg::search
