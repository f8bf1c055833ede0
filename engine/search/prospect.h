#pragma once

#include <string>

#include "engine/search/policy.h"

namespace reg::search {

/// Whether going on is worth it. A search whose noise hides what was asked for would run for days and then guess.
struct Prospect {
  bool hopeless = false;
  bool unsure = false;  ///< it looks so, but too few units were run twice to know
  std::string why;      ///< in one sentence
  int runs_more = 0;    ///< about how many would do, at the noise seen; 0 = no number of runs would
};

Prospect prospect(const Evidence& evidence, int runs);

/// Why a search that ended unresolved ended, where it was not hopeless: in one sentence.
std::string open_end(const Evidence& evidence, int runs);

/// About how many more runs bring the expected number of false or missed changes down to `error`.
int runs_for_error(const Evidence& evidence, double error);

}  // namespace reg::search
