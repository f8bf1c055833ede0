#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/store.h"

namespace reg::store {

struct Checked {
  std::int64_t trials = 0;           ///< sound ones
  std::vector<std::string> damages;  ///< "trial 17: info: not valid JSON"
};

/// Reads all of a store.
Checked check(Store& store);

/// Throws corrupt if a text of the trial is not valid JSON.
void check_json(const Trial& trial);

/// What can be read of `damaged`, in `to`, a new store. Trials keep their numbers and their folders; one that is
/// damaged is left out.
Checked repair(Store& damaged, Store& to);

}  // namespace reg::store
