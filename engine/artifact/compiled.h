#pragma once

#include <string>
#include <vector>

namespace reg::artifact {

/// A hash of what a 64-bit ELF file loads into memory: its program and data, without debug information, symbols that
/// only debuggers read and the build-id. "" for any other file, and for code for GPUs, which says more elsewhere in its
/// file. It trusts none of what the headers say.
std::string hash_of_program(const std::string& path);

/// A hash of the names, sizes and checksums of the files in a zip archive, such as a wheel, whatever their times. ""
/// for any other file.
std::string hash_of_archive(const std::string& path);

/// The compiled files below a folder, sorted, as paths below it: programs, shared objects, wheels, code for GPUs and
/// the optimized modules of an XLA dump. Links are not followed. Throws not_found, permission or io naming the folder.
std::vector<std::string> compiled_files(const std::string& folder);

}  // namespace reg::artifact
