#pragma once

#include <cstdint>

#include "engine/store/store.h"

// Which answers the user's own scripts stored. A store may come from somebody else, and an untrusted script may write
// one: what it says to run is then not the user's. A list of hashes beside what the user trusts tells them apart.

namespace reg::store {

/// Remembers the investigation as it is now. Without a folder for state nothing is remembered.
void remember(Store& store, std::int64_t investigation);

/// Whether it was remembered as it is now.
bool is_remembered(Store& store, std::int64_t investigation);

}  // namespace reg::store
