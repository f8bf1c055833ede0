#pragma once

#include <memory>

#include "engine/guard/permissions.h"
#include "engine/loop/loop.h"

namespace reg {

/// The first argument of a process that runs a script from elsewhere. Descriptor 3 leads to its broker.
inline constexpr const char* kBoxed = "--boxed";
inline constexpr int kBoxedSocket = 3;

/// If this process was started as a boxed one, takes kBoxed from the arguments and puts the process into the box that
/// its broker told it, for good. Call it first of all: no thread may exist.
void enter_box_if_told(int& argc, char**& argv);

/// Whether it did.
bool is_boxed();

/// Whether it may change nothing but what it hands to its broker.
bool only_reads_here();

/// Whether it is only to tell what the script's head declares: nobody sees or hears what it does.
bool reads_head();

/// The policy of the boxed script: decides as the broker does, and asks nobody. From now on the broker runs the
/// commands, and hears all that `guard` decides. Where only the script's head is wanted, the broker hears what it
/// declares, and the first thing it does ends this process.
std::unique_ptr<Policy> boxed_policy(Loop& loop, Guard& guard, std::unique_ptr<Permissions> permissions);

}  // namespace reg
