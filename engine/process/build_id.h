#pragma once

#include <string>

namespace reg::process {

/// The GNU build-id that the linker put into a 64-bit ELF file, in hex; "" for a file without one, and for any other
/// file. It reads no more than the headers and the notes, and trusts none of them.
std::string build_id_of(const std::string& path);

}  // namespace reg::process
