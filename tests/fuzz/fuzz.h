#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/base/error.h"

// What the fuzzers share. Each defines LLVMFuzzerTestOneInput for one parser: foreign bytes may be refused by an Error
// and by nothing else, and what a parser promises of its result is looked at with `promised`.

namespace reg::fuzz {

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void promised(bool holds) {
  if (!holds) std::abort();
}

/// Calls `parse`, which may throw an Error of the engine's.
template <class Parse>
void refusable(Parse parse) {
  try {
    parse();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): that is one of the two good ends
  }
}

/// A file in memory with these bytes, for parsers that read files.
std::string file_of(std::string_view bytes);

}  // namespace reg::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
