#pragma once

#include <string>

namespace reg::store {

/// The machine a number was measured on.
struct Provenance {
  std::string host;
  std::string kernel;
  std::string cpu;
};

Provenance provenance();

}  // namespace reg::store
