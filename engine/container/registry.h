#pragma once

#include <string>

#include "engine/base/error.h"
#include "engine/process/command.h"

namespace reg::container {

/// The error for a pull or a query of a registry that failed or ran out of time. Of kind `network` where the same may
/// work later: the registry was out of reach, overloaded or broken. Not where it said no: no such image, access denied.
[[nodiscard]] Error registry_failure(const std::string& program, const std::string& doing,
                                     const process::Outcome& outcome);

}  // namespace reg::container
