#pragma once

#include <string>

#include "engine/search/policy.h"

namespace reg::search {

/// About how many runs more it would take to name the unit in (lo, hi] that a change of `size` came with.
int runs_to_name(const Evidence& evidence, int lo, int hi, double size);

/// About how many runs more would bring the expected error down to `error`.
int runs_for_error(const Evidence& evidence, double error);

/// Why the search ended although more could be known, in one sentence without its end; or that it did not end.
std::string open_end(const Evidence& evidence, int runs, bool goes_on);

}  // namespace reg::search
