#pragma once

#include <string>

#include "engine/box/seccomp.h"

// Files that run as their owner (setuid) or with their group (setgid), whoever starts them. Landlock does not hold
// chmod, and such a file in a folder that others can enter makes them its owner.

namespace reg::box {

/// Refuses to make a new file with these bits.
void refuse_new_set_id(Filter& filter);

/// The limit for a process that may call chmod otherwise: it sets no S_ISUID, but S_ISGID. It holds for all that the
/// process starts, and nothing takes it off.
class NoSetId {
 public:
  /// Throws unavailable where the machine has no seccomp.
  NoSetId();

  /// False, with errno, on failure. Needs no_new_privs. Only calls that are safe between fork and exec.
  bool enter() const noexcept;

 private:
  std::string instructions_;
};

}  // namespace reg::box
