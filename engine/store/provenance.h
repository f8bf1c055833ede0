#pragma once

#include <cstdint>
#include <string>

#include "engine/store/store.h"

namespace reg::store {

/// The machine a number was measured on.
struct Provenance {
  std::string host;
  std::string kernel;
  std::string cpu;
};

Provenance provenance();

// Which answers the user's own scripts stored. A store may come from somebody else, and an untrusted script may write
// one: what it says to run is then not the user's. A list of hashes beside what the user trusts tells them apart.

/// Remembers the investigation as it is now. Without a folder for state nothing is remembered.
void remember(Store& store, std::int64_t investigation);

/// What commands are made from: columns of an investigation.
struct Answer {
  std::string name, options, facts, verdict;
};

/// Whether an investigation like this was remembered.
bool is_remembered(const Answer& answer);

}  // namespace reg::store
