#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reg {

/// " (did you mean 'mounts'?)", or "" if no candidate is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace reg
