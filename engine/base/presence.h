#pragma once

#include <string>

#include "engine/base/error.h"

namespace reg {

/// Whether a part that machines may lack is there, and where it is not, why and what would help.
struct Presence {
  bool ok = false;
  std::string message;  ///< one line; "" where it is there
  std::string hint;
};

/// Not available where `check` throws an Error: with its words.
template <class Check>
Presence presence_of(const Check& check) {
  try {
    check();
    return {true, "", ""};
  } catch (const Error& error) {
    return {false, error.what(), error.hint()};
  }
}

}  // namespace reg
