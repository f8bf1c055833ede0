#pragma once

#include "engine/box/landlock.h"

namespace reg::box {

/// What every program needs of the machine: programs and libraries, /sys, /proc (of processes outside its box the
/// kernel hides what is secret), and of /etc what every user may read; the harmless devices, the GPUs and shared
/// memory. Not the terminals in /dev/pts: who has them reads what their user types. The same for the whole run.
const Reach& reach_of_programs();

/// The devices of GPUs that are there, as far as their drivers name them.
std::vector<std::string> gpu_devices();

}  // namespace reg::box
