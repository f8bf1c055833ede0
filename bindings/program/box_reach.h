#pragma once

#include "bindings/program/outside.h"
#include "engine/box/landlock.h"

namespace reg {

/// What the engine that runs a script from elsewhere may reach: the current folder, what is permitted, and what it
/// needs itself of the machine and of its own files.
box::Reach reach_of_engine(const Patterns& permitted, const Invocation& invocation);

/// The box opens what is there: a file outside that the script may write, and is not there yet, is made.
void make_new_files(const Patterns& permitted);

}  // namespace reg
