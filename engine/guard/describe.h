#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/guard/effect.h"
#include "engine/guard/patterns.h"

namespace reg {

/// Untrusted text on one line, without control characters, truncated if it is long.
std::string one_line(std::string_view text);

/// What a pattern permits, in plain words: "run the program bench in the sandbox". `sandboxed`: whether this machine
/// has one for programs; else they have all rights of the user.
std::string describe(EffectKind kind, const std::string& pattern, bool sandboxed = true);

/// Whether it amounts to any command: a shell, an interpreter, a compiler, a pattern that covers one, docker, a program
/// by its path, one outside the sandbox; writing files outside the workspace or hidden ones.
bool is_dangerous(EffectKind kind, const std::string& pattern);

/// Whether who may run these programs may run any command.
bool permit_any_command(const Patterns& patterns);

/// Whether these permissions name a repository by a path outside the workspace.
bool name_repository_outside(const Patterns& patterns);

/// The need as --allow takes it: KIND=NAME, with the path relative to the workspace.
std::string as_allowed(const Need& need, const std::string& workspace);

/// The need as a script declares it: reg.needs { process = "make" }.
std::string as_declared(const Need& need, const std::string& workspace);

/// `--allow KIND=PATTERN` for each pattern, quoted for a shell.
std::string as_options(const Patterns& patterns);

}  // namespace reg
