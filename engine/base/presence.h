#pragma once

#include <string>

#include "engine/base/error.h"

namespace reg {

/// Whether an optional part of the machine is available; if not, why and what to do.
struct Presence {
  bool ok = false;
  std::string message;  ///< one line; "" if it is available
  std::string hint;
};

/// Not available if `check` throws an Error, with the message and hint of that Error.
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
