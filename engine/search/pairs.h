#pragma once

#include <vector>

#include "engine/search/policy.h"

namespace reg::search {

/// A change is believed once its two sides, run back to back on one machine, show it: load that lasts for some runs
/// makes two levels out of one, but not of two runs in a row. Where the first pair disagrees, two of three must show
/// it, or three of five.
enum class Believed { yes, no, not_yet };

/// Of the change in this gap. `size`: how far the levels around it are apart, with its sign.
Believed believed(const Evidence& evidence, const Gap& gap, double size);

/// The runs that make a pair: of both sides, or of the other one where the run before was of one side.
std::vector<Request> missing_of_pair(const Evidence& evidence, const Gap& gap);

}  // namespace reg::search
