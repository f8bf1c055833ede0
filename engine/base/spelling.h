#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reg {

/// The candidate nearest to `word` by edit distance, or "" when none is near enough to be what was meant.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

/// " (did you mean 'mounts'?)", or "" when nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace reg
