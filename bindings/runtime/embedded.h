#pragma once

#include <cstddef>
#include <string_view>

namespace reg {

/// A file inside the binary and its text. A Lua source is named as in the repository ("stdlib/sweep.lua"), what a
/// report's page is made of "page.css", "page.js" and "chart.js".
struct Embedded {
  std::string_view name;
  std::string_view text;
};

extern const Embedded kEmbedded[];
extern const std::size_t kEmbeddedCount;

/// The text of one, or an empty view when there is none of that name.
std::string_view find_embedded(std::string_view name);

}  // namespace reg
