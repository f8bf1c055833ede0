#pragma once

#include "engine/search/evidence.h"

namespace reg::search {

/// What can be said now: everything of the answer but the counts of runs. Lines are in units' first and last places.
/// `goes_on`: whether the search asks for more.
Answer answer_from(const Evidence& evidence, bool goes_on);

}  // namespace reg::search
