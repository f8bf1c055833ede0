#pragma once

#include <stdexcept>

#include "engine/base/error.h"

namespace reg::test {

/// What a call throws. The test fails where it throws nothing.
template <class F>
Error error_of(F call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

template <class F>
ErrorKind kind_of(F call) {
  return error_of(call).kind();
}

}  // namespace reg::test
