#pragma once

#include <cstddef>
#include <string_view>

namespace reg {

/// A file embedded in the binary. A Lua source is named as in the repository ("stdlib/sweep.lua"); the parts of a
/// report's page are "page.css", "page.js" and "chart.js".
struct Embedded {
  std::string_view name;
  std::string_view text;
};

extern const Embedded kEmbedded[];
extern const std::size_t kEmbeddedCount;

/// The text of an embedded file, or an empty view if there is none of that name.
std::string_view find_embedded(std::string_view name);

}  // namespace reg
