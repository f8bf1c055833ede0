#pragma once

#include <cstddef>
#include <string_view>

namespace reg {

/// A Lua source inside the binary: name as in the repository ("stdlib/sweep.lua"), and its text.
struct Embedded {
  std::string_view name;
  std::string_view text;
};

extern const Embedded kEmbedded[];
extern const std::size_t kEmbeddedCount;

/// The text of one, or an empty view when there is none of that name.
std::string_view find_embedded(std::string_view name);

}  // namespace reg
