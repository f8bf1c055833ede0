#pragma once

#include <string>
#include <vector>

#include "bindings/runtime/source.h"

namespace reg {

/// Whether it is a shipped script that reads a store and writes at most one file: it runs in the box if there is one.
bool only_reads(const Source& source);

/// The file that such a script writes, by its arguments; "" for none.
std::string output_of(const Source& source, const std::vector<std::string>& arguments);

/// The files and folders that its arguments name to be read.
std::vector<std::string> named_to_read(const std::vector<std::string>& arguments);

}  // namespace reg
