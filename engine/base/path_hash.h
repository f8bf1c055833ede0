#pragma once

#include <string>

namespace reg {

/// The SHA-256 of a file's contents. Of a folder: of the paths and contents of all files below it, in order; a symbolic
/// link counts as where it leads. Throws not_found, permission or io naming the path.
std::string hash_of_path(const std::string& path);

}  // namespace reg
