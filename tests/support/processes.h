#pragma once

#include <sys/types.h>

#include <cstddef>

// What /proc says about processes, for tests that promise to leave none behind.

namespace reg::test {

/// Whether it is there and no zombie.
bool runs(pid_t pid);

/// Waits for it to end, in the roles of its parent and of a bystander. A test that hangs here has found a survivor.
void wait_until_gone(pid_t pid);

/// Children of this process that have ended and nobody has waited for.
std::size_t zombies();

/// Children of this process that run no command but its own program, ended or not.
std::size_t copies();

/// How many descriptors this process has open.
std::size_t open_descriptors();

}  // namespace reg::test
