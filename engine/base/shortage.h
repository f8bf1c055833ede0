#pragma once

#include <string>
#include <string_view>

// What a command fails with on any machine that has run out of something: such a failure says nothing about what was
// run.

namespace reg {

/// What the file system of `path` lacks: "the disk is full: 0 bytes free in /tmp", or "" if it has room for blocks and
/// files, is read-only, or cannot be asked.
std::string shortage_at(const std::string& path);

/// The line near the end of a failed command's output that says that the disk, memory, processes or open files ran out;
/// "" if none does.
std::string shortage_in(std::string_view output);

}  // namespace reg
